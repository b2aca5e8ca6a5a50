// Kernels go to a module of their kind of device, those of CPUs stay.
//
// RUN: weir-opt %s --weir-codegen-split-devices | FileCheck %s
// RUN: weir-opt %s --weir-codegen-split-devices --weir-codegen-join-devices | FileCheck %s --check-prefix=JOINED

module attributes {rt.gpu = {architectures = [80]}} {
  // CHECK:       func.func @plain
  // CHECK:       func.func @host
  // CHECK:       func.func @no_name
  // CHECK:       module @weir_gpu attributes {rt.device_type = "GPU", rt.gpu = {architectures = [80]}} {
  // CHECK-NEXT:    func.func private @g.kernel_0
  // CHECK-NEXT:    func.func private @g.kernel_1
  // CHECK:       module @weir_mxu attributes {rt.device_type = "MXU", rt.gpu = {architectures = [80]}} {
  // CHECK-NEXT:    func.func private @m.kernel_0

  // JOINED-NOT:  rt.device_type
  // JOINED:      func.func @plain
  // JOINED:      func.func private @g.kernel_0
  // JOINED:      func.func private @m.kernel_0
  func.func private @g.kernel_0() attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:0"}
  func.func @plain() { return }
  func.func private @m.kernel_0() attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"}
  func.func @host() attributes {rt.device = "/job:localhost/replica:0/task:0/device:CPU:1"} { return }
  func.func private @g.kernel_1() attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:1"}
  func.func @no_name() attributes {rt.device = "/job:worker"} { return }
}
