// Round trip of the nodes of dataflow: readers, decoders, strings.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

weir.queue @q capacity 100 of tensor<!weir.string>
// CHECK: weir.reader @lines {kind = #weir.reader_kind<text_line>, numbers = array<i64: 1>}
weir.reader @lines {kind = #weir.reader_kind<text_line>, numbers = array<i64: 1>}
// CHECK: weir.reader @images {kind = #weir.reader_kind<idx>}
weir.reader @images {kind = #weir.reader_kind<idx>}

// CHECK-LABEL: weir.graph @n1_reader_read(
weir.graph @n1_reader_read() {
  %r = weir.handle @q
  %q = weir.handle @q
  // CHECK: weir.reader_read %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, !weir.resource) -> (tensor<!weir.string>, tensor<!weir.string>, !weir.control)
  %k, %v, %c = weir.reader_read %r, %q : (!weir.resource, !weir.resource) -> (tensor<!weir.string>, tensor<!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n2_reader_read_up_to(
weir.graph @n2_reader_read_up_to(%n: tensor<i64>) {
  %r = weir.handle @q
  %q = weir.handle @q
  // CHECK: weir.reader_read_up_to %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, !weir.resource, tensor<i64>) -> (tensor<?x!weir.string>, tensor<?x!weir.string>, !weir.control)
  %k, %v, %c = weir.reader_read_up_to %r, %q, %n : (!weir.resource, !weir.resource, tensor<i64>) -> (tensor<?x!weir.string>, tensor<?x!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n3_reader_records_produced(
weir.graph @n3_reader_records_produced() {
  %r = weir.handle @q
  // CHECK: weir.reader_records_produced %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i64>, !weir.control)
  %n, %c = weir.reader_records_produced %r : (!weir.resource) -> (tensor<i64>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n4_reader_work_completed(
weir.graph @n4_reader_work_completed() {
  %r = weir.handle @q
  // CHECK: weir.reader_work_completed %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i64>, !weir.control)
  %n, %c = weir.reader_work_completed %r : (!weir.resource) -> (tensor<i64>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n5_reader_reset(
weir.graph @n5_reader_reset() {
  %r = weir.handle @q
  // CHECK: weir.reader_reset %{{[^ ,:]+}} : (!weir.resource) -> !weir.control
  %c = weir.reader_reset %r : (!weir.resource) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n6_read_file(
weir.graph @n6_read_file(%p: tensor<!weir.string>) {
  // CHECK: weir.read_file %{{[^ ,:]+}} : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
  %b, %c = weir.read_file %p : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n7_matching_files(
weir.graph @n7_matching_files(%g: tensor<!weir.string>) {
  // CHECK: weir.matching_files %{{[^ ,:]+}} : (tensor<!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  %p, %c = weir.matching_files %g : (tensor<!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n8_decode_raw(
weir.graph @n8_decode_raw(%b: tensor<!weir.string>) {
  // CHECK: weir.decode_raw %{{[^ ,:]+}} : (tensor<!weir.string>) -> (tensor<?xui8>, !weir.control)
  %v, %c = weir.decode_raw %b : (tensor<!weir.string>) -> (tensor<?xui8>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n9_decode_csv(
weir.graph @n9_decode_csv(%r: tensor<?x!weir.string>, %d: tensor<1xf32>) {
  // CHECK: weir.decode_csv %{{[^ ,:]+}}, %{{[^ ,:]+}} {delimiter = ",", na_value = ""} : (tensor<?x!weir.string>, tensor<1xf32>) -> (tensor<?xf32>, !weir.control)
  %x, %c = weir.decode_csv %r, %d : (tensor<?x!weir.string>, tensor<1xf32>) -> (tensor<?xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n10_decode_image(
weir.graph @n10_decode_image(%b: tensor<!weir.string>) {
  // CHECK: weir.decode_image %{{[^ ,:]+}} {channels = 1 : i64, format = "png"} : (tensor<!weir.string>) -> (tensor<?x?x1xui8>, !weir.control)
  %i, %c = weir.decode_image %b {format = "png", channels = 1 : i64} : (tensor<!weir.string>) -> (tensor<?x?x1xui8>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n11_decode_npy(
weir.graph @n11_decode_npy(%b: tensor<!weir.string>) {
  // CHECK: weir.decode_npy %{{[^ ,:]+}} {member = ""} : (tensor<!weir.string>) -> (tensor<?x28x28xui8>, !weir.control)
  %v, %c = weir.decode_npy %b : (tensor<!weir.string>) -> (tensor<?x28x28xui8>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n12_parse_example(
weir.graph @n12_parse_example(%s: tensor<?x!weir.string>, %d: tensor<0xf32>) {
  // CHECK: weir.parse_example %{{[^ ,:]+}}, %{{[^ ,:]+}} {features = [tensor<2xf32>], names = ["x"]} : (tensor<?x!weir.string>, tensor<0xf32>) -> (tensor<?x2xf32>, !weir.control)
  %x, %c = weir.parse_example %s, %d {names = ["x"], features = [tensor<2xf32>]} : (tensor<?x!weir.string>, tensor<0xf32>) -> (tensor<?x2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n13_string_join(
weir.graph @n13_string_join(%a: tensor<!weir.string>, %b: tensor<?x!weir.string>) {
  // CHECK: weir.string_join %{{[^ ,:]+}}, %{{[^ ,:]+}} {separator = "/"} : (tensor<!weir.string>, tensor<?x!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  %s, %c = weir.string_join %a, %b {separator = "/"} : (tensor<!weir.string>, tensor<?x!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n14_as_string(
weir.graph @n14_as_string(%x: tensor<i32>) {
  // CHECK: weir.as_string %{{[^ ,:]+}} : (tensor<i32>) -> (tensor<!weir.string>, !weir.control)
  %s, %c = weir.as_string %x : (tensor<i32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n15_string_to_number(
weir.graph @n15_string_to_number(%s: tensor<?x!weir.string>) {
  // CHECK: weir.string_to_number %{{[^ ,:]+}} : (tensor<?x!weir.string>) -> (tensor<?xf32>, !weir.control)
  %x, %c = weir.string_to_number %s : (tensor<?x!weir.string>) -> (tensor<?xf32>, !weir.control)
  weir.fetch
}
