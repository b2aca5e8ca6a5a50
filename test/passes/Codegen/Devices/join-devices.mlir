// What is in the modules of devices comes back, under another name where the
// outer module has one; other modules stay.
//
// RUN: weir-opt %s --weir-codegen-join-devices | FileCheck %s

// CHECK:       memref.global "private" constant @c : memref<2xf32> = dense<1.{{.*}}>
// CHECK:       module @other
// CHECK-NOT:   rt.device_type
// CHECK:       memref.global "private" constant @[[C:c_.+]] : memref<2xf32> = dense<2.{{.*}}>
// CHECK:       func.func @kernel() -> memref<2xf32> {
// CHECK-NEXT:    memref.get_global @[[C]]
memref.global "private" constant @c : memref<2xf32> = dense<1.0>
module @other {
}
module @weir_gpu attributes {rt.device_type = "GPU"} {
  memref.global "private" constant @c : memref<2xf32> = dense<2.0>
  func.func @kernel() -> memref<2xf32> {
    %0 = memref.get_global @c : memref<2xf32>
    return %0 : memref<2xf32>
  }
}
