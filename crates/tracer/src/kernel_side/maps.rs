//! Maps of the kernel side, with the types of their values.

use std::marker::PhantomData;

use bytemuck::{AnyBitPattern, NoUninit};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Result};

/// Array, or hash table with numbers as keys. Its values have the layout of `V`.
pub(crate) struct Map<V> {
    handle: MapHandle,
    value: PhantomData<V>,
}

/// Values that are written in one call to the kernel.
const BATCH: usize = 4096;

impl<V: AnyBitPattern + NoUninit> Map<V> {
    pub(crate) fn new(handle: MapHandle) -> Self {
        Self {
            handle,
            value: PhantomData,
        }
    }

    /// Returns a value; `None` if there is none.
    pub(crate) fn get(&self, key: u32) -> Option<V> {
        let mut value = V::zeroed();
        let bytes = bytemuck::bytes_of_mut(&mut value);
        let found = self.handle.lookup_into(&key.to_ne_bytes(), bytes, MapFlags::ANY);
        found.ok()?.then_some(value)
    }

    /// Sets a value.
    pub(crate) fn set(&self, key: u32, value: &V) -> Result<()> {
        self.handle
            .update(&key.to_ne_bytes(), bytemuck::bytes_of(value), MapFlags::ANY)
    }

    /// Sets the first values.
    pub(crate) fn set_first(&self, values: &[V]) -> Result<()> {
        let keys: Vec<u32> = (0..).take(values.len()).collect();
        for (keys, values) in keys.chunks(BATCH).zip(values.chunks(BATCH)) {
            let count = u32::try_from(keys.len()).unwrap_or(0);
            let (keys, values) = (bytemuck::cast_slice(keys), bytemuck::cast_slice(values));
            self.handle
                .update_batch(keys, values, count, MapFlags::ANY, MapFlags::ANY)?;
        }
        Ok(())
    }
}

/// Array with a value for each CPU.
pub(crate) struct PerCpuMap<V> {
    handle: MapHandle,
    value: PhantomData<V>,
}

impl<V: AnyBitPattern> PerCpuMap<V> {
    pub(crate) fn new(handle: MapHandle) -> Self {
        Self {
            handle,
            value: PhantomData,
        }
    }

    /// Returns the value of each CPU; none if they cannot be read.
    pub(crate) fn get(&self, key: u32) -> Vec<V> {
        let values = self.handle.lookup_percpu(&key.to_ne_bytes(), MapFlags::ANY);
        let values = values.ok().flatten().unwrap_or_default();
        let values = values.iter().filter_map(|bytes| bytes.get(..size_of::<V>()));
        values.map(bytemuck::pod_read_unaligned).collect()
    }
}

/// Kernel stacks by id.
pub(crate) struct StackMap(MapHandle);

impl StackMap {
    pub(crate) fn new(handle: MapHandle) -> Self {
        Self(handle)
    }

    /// Returns the addresses of a stack, innermost first; none if the kernel dropped it.
    pub(crate) fn addresses(&self, id: u32) -> Vec<u64> {
        let stack = self.0.lookup(&id.to_ne_bytes(), MapFlags::ANY);
        let stack = stack.ok().flatten().unwrap_or_default();
        let addresses = stack
            .chunks_exact(size_of::<u64>())
            .map(bytemuck::pod_read_unaligned);
        addresses.take_while(|&address| address != 0).collect()
    }
}
