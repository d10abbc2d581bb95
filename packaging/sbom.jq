# What cargo-cyclonedx wrote, without what differs from one time or place to the next, and with the headers of libbpf from
# which the kernel side is compiled, and with the C library of the tarball's program. Arguments: copy, the directory in which
# it was written; version, that of the package.
del(.serialNumber, .metadata.timestamp)
| .metadata.component.version = $version
| .components += [{ type: "library", "bom-ref": "libbpf", name: "libbpf", version: "1.7.0", scope: "required",
    description: "Headers alone (crates/tracer/bpf/vendor/libbpf)", licenses: [{ license: { id: "BSD-2-Clause" } }] },
  { type: "library", "bom-ref": "musl", name: "musl", version: "1.2.5", scope: "optional",
    description: "C library of the tarball's program alone", licenses: [{ license: { id: "MIT" } }] }]
| walk(if type == "string" then gsub($copy; "/logtrace") else . end)
