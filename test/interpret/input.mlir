// RUN: rm -rf %t && mkdir %t
// RUN: printf 'x,n\n1.5,1\n2.5,\n' > %t/a.csv
// RUN: weir-run %s --interpret --entry=read --feed pattern=%t/*.csv | FileCheck %s --check-prefix=READ
// RUN: weir-run %s --interpret --entry=bytes --feed path=%t/a.csv | FileCheck %s --check-prefix=BYTES
// RUN: not weir-run %s --interpret --entry=bytes --feed path=%t/none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not weir-run %s --interpret --entry=wait 2>&1 | FileCheck %s --check-prefix=WAIT
// Readers and decoders in steps; docs/spec/input.md has the formats, and the runtime's own tests all cases.
// REQUIRES: weir-run

module {
  weir.queue @names capacity 9 of tensor<!weir.string>
  weir.reader @lines {kind = #weir.reader_kind<text_line>, numbers = array<i64: 1>}

  // A reader takes the names of files from a queue and gives their lines, which become columns.
  // READ: x = [1.5, 2.5]
  // READ: n = [1, 7]
  // READ: records = 2
  // READ: files = 0
  weir.graph @read(%pattern: tensor<!weir.string> {weir.name = "pattern"})
      -> (tensor<?xf32> {weir.name = "x"}, tensor<?xi32> {weir.name = "n"}, tensor<i64> {weir.name = "records"}, tensor<i64> {weir.name = "files"}) {
    %q = weir.handle @names
    %r = weir.handle @lines
    %nine = weir.constant dense<2> : tensor<i64>
    %dx = weir.constant dense<0.0> : tensor<1xf32>
    %dn = weir.constant dense<7> : tensor<1xi32>
    %paths, %c0 = weir.matching_files %pattern : (tensor<!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
    %c1 = weir.enqueue_many %q, %paths : (!weir.resource, tensor<?x!weir.string>) -> !weir.control
    %k, %v, %c2 = weir.reader_read_up_to %r, %q, %nine : (!weir.resource, !weir.resource, tensor<i64>) -> (tensor<?x!weir.string>, tensor<?x!weir.string>, !weir.control)
    %records, %c3 = weir.reader_records_produced %r after(%c2) : (!weir.resource) -> (tensor<i64>, !weir.control)
    %files, %c4 = weir.reader_work_completed %r after(%c2) : (!weir.resource) -> (tensor<i64>, !weir.control)
    %x, %n, %c5 = weir.decode_csv %v, %dx, %dn : (tensor<?x!weir.string>, tensor<1xf32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>, !weir.control)
    weir.fetch %x, %n, %records, %files after(%c1) : tensor<?xf32>, tensor<?xi32>, tensor<i64>, tensor<i64>
  }

  // BYTES: first = [120, 44
  // NONE: [WEIR0360] 'weir.read_file' at
  weir.graph @bytes(%path: tensor<!weir.string> {weir.name = "path"}) -> (tensor<?xui8> {weir.name = "first"}) {
    %b, %c0 = weir.read_file %path : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
    %v, %c1 = weir.decode_raw %b : (tensor<!weir.string>) -> (tensor<?xui8>, !weir.control)
    weir.fetch %v : tensor<?xui8>
  }

  // WAIT: [WEIR0138] {{.*}}'weir.reader_read' at {{.*}} waits for a file name in FIFO queue 'names'
  weir.graph @wait() -> (tensor<!weir.string> {weir.name = "v"}) {
    %q = weir.handle @names
    %r = weir.handle @lines
    %k, %v, %c2 = weir.reader_read %r, %q : (!weir.resource, !weir.resource) -> (tensor<!weir.string>, tensor<!weir.string>, !weir.control)
    weir.fetch %v : tensor<!weir.string>
  }
}
