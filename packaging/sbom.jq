# What cargo-cyclonedx wrote, without what differs from one time or place to the next, and with the C libraries that the
# crate libbpf-sys compiles. Arguments: copy, the directory in which it was written; version, that of the package.
def library($name; $of; $licences):
  { type: "library", "bom-ref": "libbpf-sys/\($name)", name: $name, scope: "required",
    description: "Compiled from the source in \($of)", licenses: [{ expression: $licences }] };

(.components[] | select(.name == "libbpf-sys") | "\(.name) \(.version)") as $of
| del(.serialNumber, .metadata.timestamp)
| .metadata.component.version = $version
| .components += [
    library("libbpf"; $of; "LGPL-2.1-only OR BSD-2-Clause"),
    library("libelf"; $of; "LGPL-3.0-or-later OR GPL-2.0-or-later"),
    library("zlib"; $of; "Zlib")]
| walk(if type == "string" then gsub($copy; "/logtrace") else . end)
