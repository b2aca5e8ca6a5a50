// RUN: weir-opt %s --weir-schedule-order-program --split-input-file | FileCheck %s
// Graphs become straight-line functions: edges are respected, state is a value.

// An update comes after the last use of the old value, although it stands first in the text; the subtraction joins the
// kernel that computes the difference, and the variable is written once, at the end.
// CHECK-LABEL: func.func @update_last(%arg0: !llvm.ptr) -> i32
// CHECK-SAME:    rt.entry = {feeds = [{name = "x", type = tensor<?x4xf32>}], fetches = [{name = "result0", type = tensor<?x2xf32>}]}
// CHECK:         %[[X:.+]] = rt.feed 0 : tensor<?x4xf32>
// CHECK:         %[[W:.+]] = rt.read_variable @w "'weir.read' at {{.*}}order-program.mlir:{{[0-9]+}}" : tensor<4x2xf32>
// CHECK:         %[[Y:.+]] = weir.group "product"
// CHECK:           weir.matmul %[[X]], %[[W]]
// CHECK:         %[[NEW:.+]] = weir.group "step"
// CHECK:           %[[D:.+]] = weir.mul %[[W]]
// CHECK:           %[[S:.+]] = weir.sub %[[W]], %[[D]]
// CHECK:           weir.yield %[[S]]
// CHECK:         rt.write_variable @w, %[[NEW]]
// CHECK:         rt.fetch 0, %[[Y]]
module {
  weir.variable @w : tensor<4x2xf32>
  weir.graph @update_last(%x: tensor<?x4xf32> {weir.name = "x"}) -> tensor<?x2xf32> {
    %w, %read = weir.read @w : tensor<4x2xf32>
    %d = weir.group "step" -> tensor<4x2xf32> {
      %rate = weir.constant dense<0.5> : tensor<f32>
      %m = weir.mul %w, %rate : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
      weir.yield %m : tensor<4x2xf32>
    }
    %done = weir.assign_sub @w, %d after(%read) : tensor<4x2xf32>
    %y = weir.group "product" -> tensor<?x2xf32> {
      %p = weir.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
      weir.yield %p : tensor<?x2xf32>
    }
    weir.fetch %y after(%done) : tensor<?x2xf32>
  }
}

// -----

// A read that a control edge puts behind an assignment sees what was assigned, and nothing is read from memory.
// CHECK-LABEL: func.func @read_after_assign
// CHECK:         %[[X:.+]] = rt.feed 0
// CHECK-NOT:     rt.read_variable
// CHECK:         rt.write_variable @w, %[[X]]
// CHECK:         rt.fetch 0, %[[X]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @read_after_assign(%x: tensor<2xf32>) -> tensor<2xf32> {
    %w, %read = weir.read @w after(%done) : tensor<2xf32>
    %done = weir.assign @w, %x : tensor<2xf32>
    weir.fetch %w : tensor<2xf32>
  }
}

// -----

// What no fetch needs is not in the program.
// CHECK-LABEL: func.func @unneeded
// CHECK-NOT:     rt.write_variable
// CHECK-NOT:     weir.exp
// CHECK:         return
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @unneeded(%x: tensor<2xf32>) -> tensor<2xf32> {
    %e = weir.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    %done = weir.assign @w, %e : tensor<2xf32>
    weir.fetch %x : tensor<2xf32>
  }
}

// -----

// An extent that is only known at run time is checked before a variable takes the value.
// CHECK-LABEL: func.func @checked_assign
// CHECK:         %[[X:.+]] = rt.feed 0
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[N]], %[[TWO:.+]] : index
// CHECK:         rt.assert %[[SAME]], 3, "'weir.assign' at {{.*}}", "[WEIR0331] {{.*}}variable 'w'{{.*}}"(%[[N]], %[[TWO]])
// CHECK:         %[[C:.+]] = tensor.cast %[[X]] : tensor<?xf32> to tensor<2xf32>
// CHECK:         rt.write_variable @w, %[[C]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @checked_assign(%x: tensor<?xf32>) {
    %done = weir.assign @w, %x : tensor<?xf32>
    weir.fetch after(%done)
  }
}

// -----

// A check of numbers becomes an assertion with the user's words, in which braces mean nothing.
// CHECK-LABEL: func.func @check
// CHECK:         weir.is_finite
// CHECK:         weir.reduce_all
// CHECK:         rt.assert %{{.+}}, 3, "'loss' at {{.*}}", "[WEIR0333] bad (0): the value holds a NaN or an infinity"
module {
  weir.graph @check(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y, %c = weir.check_numerics %x "bad {0}" {weir.name = "loss"} : tensor<2xf32>
    weir.fetch %y : tensor<2xf32>
  }
}

// -----

// Checkpoints keep their place in the order that control edges give.
// CHECK-LABEL: func.func @save_then_restore
// CHECK:         %[[P:.+]] = rt.feed 0 : tensor<!weir.string>
// CHECK:         %[[W:.+]] = rt.read_variable @w
// CHECK:         rt.save "'weir.save' at {{.*}}", %[[P]] names ["w"](%[[W]])
// CHECK:         %[[R:.+]] = rt.restore "'weir.restore' at {{.*}}", %[[P]] names ["w"]
// CHECK:         rt.write_variable @w, %[[R]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @save_then_restore(%path: tensor<!weir.string>) {
    %r, %restored = weir.restore %path names ["w"] after(%saved) : tensor<!weir.string> -> tensor<2xf32>
    %done = weir.assign @w, %r : tensor<2xf32>
    %w, %read = weir.read @w : tensor<2xf32>
    %saved = weir.save %path, %w names ["w"] : tensor<!weir.string>, tensor<2xf32>
    weir.fetch after(%done)
  }
}

// -----

// Whether a variable has a value is asked of the runtime, unless this step has just given it one.
// CHECK-LABEL: func.func @initialized
// CHECK:         rt.variable_initialized @v : i1
// CHECK-NOT:     rt.variable_initialized @w
// CHECK:         return
module {
  weir.variable @v : tensor<2xf32>
  weir.variable @w : tensor<2xf32>
  weir.graph @initialized(%x: tensor<2xf32>) -> (tensor<i1>, tensor<i1>) {
    %done = weir.assign @w, %x : tensor<2xf32>
    %a, %ca = weir.is_initialized @v : tensor<i1>
    %b, %cb = weir.is_initialized @w after(%done) : tensor<i1>
    weir.fetch %a, %b : tensor<i1>, tensor<i1>
  }
}

// -----

// The delta that a group computes is fetched too: the update stays out of the group, which goes on yielding the delta.
weir.variable @w : tensor<2xf32>
// CHECK-LABEL: func.func @delta_is_fetched
// CHECK:         %[[DELTA:.+]] = weir.group "relu"
// CHECK:           %[[RELU:.+]] = weir.relu
// CHECK-NEXT:      weir.yield %[[RELU]]
// CHECK:         %[[FRESH:.+]] = weir.sub %{{.+}}, %[[DELTA]]
// CHECK:         rt.write_variable @w, %[[FRESH]]
// CHECK:         rt.fetch 0, %[[DELTA]]
weir.graph @delta_is_fetched(%x: tensor<2xf32>) -> tensor<2xf32> {
  %d = weir.group "relu" -> tensor<2xf32> {
    %r = weir.relu %x : (tensor<2xf32>) -> tensor<2xf32>
    weir.yield %r : tensor<2xf32>
  }
  %c = weir.assign_sub @w, %d : tensor<2xf32>
  weir.fetch %d after(%c) : tensor<2xf32>
}
