//! Writing the rows of a table as a file of Parquet.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, TimeUnit, Type as Physical, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};

/// Rows of a row group: readers skip whole groups by the least and largest values of their columns.
const GROUP_ROWS: usize = 100_000;

/// Ending of the names of columns that are points in time, in microseconds since 1970.
const POINT: &str = "_at";

/// File of a table that is being written.
pub(crate) struct TableFile<T, W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: Vec<T>,
    count: u64,
}

impl<T, W: Write + Send> TableFile<T, W>
where
    for<'a> &'a [T]: RecordWriter<T>,
{
    pub(crate) fn begin(to: W) -> Result<Self, ParquetError> {
        let schema = with_points(&(&[] as &[T]).schema()?)?;
        let properties = Arc::new(properties(&schema)?);
        Ok(Self {
            writer: SerializedFileWriter::new(to, schema, properties)?,
            rows: Vec::new(),
            count: 0,
        })
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: T) -> Result<(), ParquetError> {
        self.rows.push(row);
        match self.rows.len() {
            GROUP_ROWS => self.write_group(),
            _ => Ok(()),
        }
    }

    /// Writes the rest, and returns the number of rows.
    pub(crate) fn finish(mut self) -> Result<u64, ParquetError> {
        self.write_group()?;
        self.writer.close()?;
        Ok(self.count)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        self.rows.as_slice().write_to_row_group(&mut group)?;
        group.close()?;
        self.count += self.rows.len() as u64;
        self.rows.clear();
        Ok(())
    }
}

/// Writes all rows of a table. Returns their number.
pub(crate) fn write_rows<T>(
    rows: impl IntoIterator<Item = T>,
    to: impl Write + Send,
) -> Result<u64, ParquetError>
where
    for<'a> &'a [T]: RecordWriter<T>,
{
    let mut file = TableFile::begin(to)?;
    for row in rows {
        file.push(row)?;
    }
    file.finish()
}

/// Returns a schema in which points in time have their type. Spark reads no points in nanoseconds.
fn with_points(schema: &TypePtr) -> Result<TypePtr, ParquetError> {
    let fields = schema.get_fields().iter().map(|field| {
        if !field.name().ends_with(POINT) {
            return Ok(Arc::clone(field));
        }
        let point = Type::primitive_type_builder(field.name(), Physical::INT64)
            .with_repetition(field.get_basic_info().repetition())
            .with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MICROS)));
        point.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
    Ok(Arc::new(schema))
}

/// Returns how columns are encoded: numbers by their differences, words as places in a dictionary.
fn properties(schema: &TypePtr) -> Result<WriterProperties, ParquetError> {
    let mut properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?));
    for field in schema.get_fields() {
        if matches!(field.get_physical_type(), Physical::INT64 | Physical::INT32) {
            let column = ColumnPath::new(vec![field.name().to_owned()]);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
    }
    Ok(properties.build())
}

/// Returns a number as engines read it: they have no unsigned type in common.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns `a - b`, which may be negative.
pub(crate) fn difference(a: u64, b: u64) -> i64 {
    match a.checked_sub(b) {
        Some(later) => integer(later),
        None => -integer(b - a),
    }
}
