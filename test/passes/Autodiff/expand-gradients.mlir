// RUN: weir-opt %s --weir-autodiff-expand-gradients --split-input-file | FileCheck %s
// Requests for gradients become backward nodes.

// The gradient of a loss goes back through each node on the path, and through no other.
// CHECK-LABEL: weir.graph @chain
// CHECK-SAME:    (%[[X:.+]]: tensor<2x3xf32>, %[[W:.+]]: tensor<3x4xf32>)
// CHECK:         %[[H:.+]] = weir.matmul %[[X]], %[[W]]
// CHECK:         %[[T:.+]] = weir.tanh %[[H]]
// CHECK:         weir.reduce_sum %[[T]]
// CHECK:         %[[SEED:.+]] = weir.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[DT:.+]] = weir.broadcast_like
// CHECK:         %[[SQUARE:.+]] = weir.square %[[T]]
// CHECK:         %[[SLOPE:.+]] = weir.sub %{{.+}}, %[[SQUARE]]
// CHECK:         %[[DH:.+]] = weir.mul %[[DT]], %[[SLOPE]]
// CHECK-NOT:     weir.matmul {{.*}}transpose_rhs
// CHECK:         %[[DW:.+]] = weir.matmul %[[X]], %[[DH]] {transpose_lhs}
// CHECK-NOT:     weir.matmul
// CHECK:         weir.fetch %[[DW]]
module {
  weir.graph @chain(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %h = weir.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %t = weir.tanh %h : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = weir.reduce_sum %t {axes = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%w) : (tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    weir.fetch %g : tensor<3x4xf32>
  }
}

// -----

// What flows into a value along several paths is added up.
// CHECK-LABEL: weir.graph @paths
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>, %[[SEED:.+]]: tensor<4xf32>)
// CHECK:         %[[A:.+]] = weir.mul %[[SEED]]
// CHECK:         %[[S:.+]] = weir.add
// CHECK:         weir.fetch %[[S]]
module {
  weir.graph @paths(%x: tensor<4xf32>, %seed: tensor<4xf32>) -> tensor<4xf32> {
    %s = weir.sin %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = weir.mul %x, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g = weir.gradients %y wrt(%x) seed(%seed) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %g : tensor<4xf32>
  }
}

// -----

// A value that y does not depend on has gradient zero, of its own extents; integers, booleans and weir.stop_gradient
// let nothing through.
// CHECK-LABEL: weir.graph @unused
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>, %[[Z:.+]]: tensor<?x2xf32>)
// CHECK:         %[[DX:.+]] = weir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:         %[[ZERO:.+]] = weir.constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[DZ:.+]] = weir.broadcast_like %[[ZERO]], %[[Z]]
// CHECK:         weir.fetch %[[DX]], %[[DZ]]
module {
  weir.graph @unused(%x: tensor<4xf32>, %z: tensor<?x2xf32>) -> (tensor<4xf32>, tensor<?x2xf32>) {
    %i = weir.cast %x {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
    %f = weir.cast %i {to = f32} : (tensor<4xi32>) -> tensor<4xf32>
    %s = weir.stop_gradient %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = weir.add %f, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g:2 = weir.gradients %y wrt(%x, %z) : (tensor<4xf32>, tensor<4xf32>, tensor<?x2xf32>) -> (tensor<4xf32>, tensor<?x2xf32>)
    weir.fetch %g#0, %g#1 : tensor<4xf32>, tensor<?x2xf32>
  }
}

// -----

// The gradient of a gradient is expanded after the one it is taken of, wherever the text has it.
// CHECK-LABEL: weir.graph @second
// CHECK-SAME:    (%[[X:.+]]: tensor<f32>)
// CHECK:         %[[SIN:.+]] = weir.sin %[[X]]
// CHECK:         %[[PRODUCT:.+]] = weir.mul %{{.+}}, %[[SIN]]
// CHECK:         %[[GG:.+]] = weir.neg %[[PRODUCT]]
// CHECK-NOT:     weir.gradients
// CHECK:         weir.fetch %[[GG]]
module {
  weir.graph @second(%x: tensor<f32>) -> tensor<f32> {
    %gg = weir.gradients %g wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = weir.sin %x : (tensor<f32>) -> tensor<f32>
    weir.fetch %gg : tensor<f32>
  }
}

// -----

// Backward nodes live on the device of the node that they belong to.
// CHECK-LABEL: weir.graph @devices
// CHECK:         weir.cos {{.*}}weir.colocate = "group", weir.device = "/cpu:1"
// CHECK:         weir.mul {{.*}}weir.colocate = "group", weir.device = "/cpu:1"
module {
  weir.graph @devices(%x: tensor<f32>) -> tensor<f32> {
    %y = weir.sin %x {weir.device = "/cpu:1", weir.colocate = "group"} : (tensor<f32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}

// -----

// A check of numbers passes the gradient on; what waited for the request's control operands waits still.
// CHECK-LABEL: weir.graph @checked
// CHECK:         %{{.+}}, %[[CHECKED:.+]] = weir.check_numerics
// CHECK:         %[[ONE:.+]] = weir.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[G:.+]] = weir.identity %[[ONE]] after(%[[CHECKED]])
// CHECK:         weir.fetch %[[G]]
module {
  weir.graph @checked(%x: tensor<f32>) -> tensor<f32> {
    %y, %c = weir.check_numerics %x "diverged" : tensor<f32>
    %g = weir.gradients %y wrt(%x) after(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}

// -----

// An extent that the text leaves open, but that is 1, is known to be 1 where the gradient has to repeat it.
// CHECK-LABEL: weir.graph @declared
// CHECK:         weir.reduce_sum {{.*}} -> tensor<1x3xf32>
// CHECK:         weir.broadcast_like %{{.+}}, %{{.+}} : (tensor<1x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
module {
  weir.graph @declared(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %y = weir.reduce_sum %x {axes = array<i64: 0>, keep_dims} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %g = weir.gradients %y wrt(%x) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    weir.fetch %g : tensor<?x3xf32>
  }
}

// -----

// A box and places that are computed: what flows back is put where it was taken.
// CHECK-LABEL: weir.graph @computed
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>, %[[B:.+]]: tensor<2xi64>, %[[N:.+]]: tensor<2xi64>, %[[I:.+]]: tensor<?x2xi32>,
// CHECK-DAG:     weir.dynamic_update_slice %{{.+}}, %{{.+}}, %[[B]] {strides = array<i64: 1, 2>}
// CHECK-DAG:     weir.scatter_nd %{{.+}}, %[[I]], %{{.+}} {kind = #weir.scatter_kind<add>}
// CHECK-DAG:     weir.cumulative_sum %{{.+}} {axis = 0 : i64, exclusive, reverse}
module {
  weir.graph @computed(%x: tensor<?x4xf32>, %b: tensor<2xi64>, %n: tensor<2xi64>, %i: tensor<?x2xi32>, %s: tensor<?x?xf32>, %t: tensor<?xf32>)
      -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
    %y = weir.dynamic_slice %x, %b, %n {strides = array<i64: 1, 2>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %dx = weir.gradients %y wrt(%x) seed(%s) : (tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x4xf32>
    %z = weir.gather_nd %x, %i : (tensor<?x4xf32>, tensor<?x2xi32>) -> tensor<?xf32>
    %dz = weir.gradients %z wrt(%x) seed(%t) : (tensor<?xf32>, tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
    %w = weir.cumulative_sum %t {axis = 0 : i64, exclusive} : (tensor<?xf32>) -> tensor<?xf32>
    %dw = weir.gradients %w wrt(%t) seed(%t) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    weir.fetch %dx, %dz, %dw : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
  }
}

// -----

// A box that is put into a tensor takes its gradient out again; the rest is the operand's.
// CHECK-LABEL: weir.graph @box
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>, %[[U:.+]]: tensor<?x2xf32>, %[[B:.+]]: tensor<2xi32>, %[[S:.+]]: tensor<?x4xf32>)
// CHECK-DAG:     %[[ZEROS:.+]] = weir.broadcast_like %{{.+}}, %[[U]]
// CHECK-DAG:     %[[DX:.+]] = weir.dynamic_update_slice %[[S]], %[[ZEROS]], %[[B]]
// CHECK-DAG:     %[[SHAPE:.+]] = weir.shape_of %[[U]]
// CHECK-DAG:     %[[SIZE:.+]] = weir.cast %[[SHAPE]]
// CHECK-DAG:     %[[BOX:.+]] = weir.dynamic_slice %[[S]], %[[B]], %[[SIZE]]
// CHECK-DAG:     %[[DU:.+]] = weir.reshape_like %[[BOX]], %[[U]]
// CHECK:         weir.fetch %[[DX]], %[[DU]]
module {
  weir.graph @box(%x: tensor<?x4xf32>, %u: tensor<?x2xf32>, %b: tensor<2xi32>, %s: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x2xf32>) {
    %y = weir.dynamic_update_slice %x, %u, %b {strides = array<i64: 1, 1>} : (tensor<?x4xf32>, tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %dx, %du = weir.gradients %y wrt(%x, %u) seed(%s)
      : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x2xf32>)
    weir.fetch %dx, %du : tensor<?x4xf32>, tensor<?x2xf32>
  }
}

// -----

// Where updates are assigned, the last of each element counts; where they are added, all do.
// CHECK-LABEL: weir.graph @updates
// CHECK-SAME:    (%{{.+}}: tensor<4x2xf32>, %[[I:.+]]: tensor<3x1xi32>, %[[U:.+]]: tensor<3x2xf32>, %[[S:.+]]: tensor<4x2xf32>)
// CHECK:         %[[NUMBERS:.+]] = weir.reshape %{{.+}} {shape = array<i64: 3, 2>} : (tensor<6xi64>)
// CHECK:         %[[LARGEST:.+]] = weir.scatter_nd %{{.+}}, %[[I]], %[[NUMBERS]] {kind = #weir.scatter_kind<max>}
// CHECK:         %[[AT:.+]] = weir.gather_nd %[[LARGEST]], %[[I]]
// CHECK:         %[[SAME:.+]] = weir.compare %[[AT]], %[[NUMBERS]] {predicate = #weir.compare<eq>}
// CHECK:         %[[LAST:.+]] = weir.logical_and %{{.+}}, %[[SAME]]
// CHECK:         %[[ASSIGNED:.+]] = weir.select %[[LAST]]
// CHECK:         %[[ADDED:.+]] = weir.gather_nd %[[S]], %[[I]]
// CHECK:         weir.fetch %[[ASSIGNED]], %[[ADDED]]
module {
  weir.graph @updates(%x: tensor<4x2xf32>, %i: tensor<3x1xi32>, %u: tensor<3x2xf32>, %s: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
    %y = weir.scatter_nd %x, %i, %u {kind = #weir.scatter_kind<assign>} : (tensor<4x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %dy = weir.gradients %y wrt(%u) seed(%s) : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %z = weir.scatter_nd %x, %i, %u {kind = #weir.scatter_kind<add>} : (tensor<4x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %dz = weir.gradients %z wrt(%u) seed(%s) : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    weir.fetch %dy, %dz : tensor<3x2xf32>, tensor<3x2xf32>
  }
}

// -----

// The gradient of a product does not divide, so that a factor may be 0: it multiplies those before and those behind.
// CHECK-LABEL: weir.graph @product
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>)
// CHECK-DAG:     %[[BEFORE:.+]] = weir.cumulative_prod %[[X]] {axis = 0 : i64, exclusive}
// CHECK-DAG:     %[[BEHIND:.+]] = weir.cumulative_prod %[[X]] {axis = 0 : i64, exclusive, reverse}
// CHECK-DAG:     %[[OTHERS:.+]] = weir.mul %[[BEFORE]], %[[BEHIND]]
// CHECK:         %[[DX:.+]] = weir.mul %[[OTHERS]]
// CHECK:         weir.fetch %[[DX]]
module {
  weir.graph @product(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %y = weir.reduce_prod %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
    %g = weir.gradients %y wrt(%x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    weir.fetch %g : tensor<?x4xf32>
  }
}
