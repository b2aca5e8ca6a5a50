// RUN: weir-opt %s --pass-pipeline='builtin.module(weir.graph(weir-fuse-group-nodes))' --split-input-file | FileCheck %s
// Pure nodes go into groups, each of which runs as one task.

// An anchor takes its element-wise readers, and has the constant to itself.
// CHECK-LABEL: weir.graph @layer
// CHECK-SAME:    %[[X:.+]]: tensor<?x64xf32>, %[[W:.+]]: tensor<64x8xf32>
// CHECK-NOT:     weir.constant
// CHECK:         %[[H:.+]] = weir.group "matmul_add_relu" -> tensor<?x8xf32> {
// CHECK:           %[[M:.+]] = weir.matmul %[[X]], %[[W]]
// CHECK:           %[[B:.+]] = weir.constant
// CHECK:           %[[A:.+]] = weir.add %[[M]], %[[B]]
// CHECK:           %[[R:.+]] = weir.relu %[[A]]
// CHECK:           weir.yield %[[R]]
// CHECK:         weir.fetch %[[H]]
weir.graph @layer(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>) -> (tensor<?x8xf32>) {
  %b = weir.constant dense<1.0> : tensor<8xf32>
  %m = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
  %a = weir.add %m, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %r = weir.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
  weir.fetch %r : tensor<?x8xf32>
}

// -----

// Two anchors make two groups, whatever the order of the text; names differ.
// CHECK-LABEL: weir.graph @two
// CHECK:         weir.group "matmul_tanh" -> tensor<4x4xf32> {
// CHECK:         weir.group "matmul_tanh_2" -> tensor<4x4xf32> {
weir.graph @two(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %d = weir.tanh %c : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = weir.matmul %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = weir.tanh %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = weir.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  weir.fetch %d : tensor<4x4xf32>
}

// -----

// A path through a node with effects must not leave a group and come back: the
// sum does not join the group whose value was assigned before it was read.
// CHECK-LABEL: weir.graph @cycle
// CHECK:         %[[E:.+]] = weir.group "exp"
// CHECK:         %[[C:.+]] = weir.assign @v, %[[E]]
// CHECK:         %[[R:.+]], %{{.+}} = weir.read @v after(%[[C]])
// CHECK:         weir.group "add"
// CHECK:           weir.add %[[E]], %[[R]]
weir.variable @v : tensor<4xf32>
weir.graph @cycle(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %e = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %c = weir.assign @v, %e : tensor<4xf32>
  %r, %rc = weir.read @v after(%c) : tensor<4xf32>
  %s = weir.add %e, %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %s : tensor<4xf32>
}

// -----

// Nor through a control edge alone.
// CHECK-LABEL: weir.graph @control
// CHECK:         %[[E:.+]] = weir.group "exp"
// CHECK:         %[[C:.+]] = weir.completed %[[E]]
// CHECK:         %[[R:.+]], %{{.+}} = weir.read @v after(%[[C]])
// CHECK:         weir.group "add"
weir.variable @v : tensor<4xf32>
weir.graph @control(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %e = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %c = weir.completed %e : tensor<4xf32>
  %r, %rc = weir.read @v after(%c) : tensor<4xf32>
  %s = weir.add %e, %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %s : tensor<4xf32>
}

// -----

// A pure node that waits: the wait moves to its operand, outside of the group.
// CHECK-LABEL: weir.graph @waits
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         %[[C:.+]] = weir.assign @v
// CHECK:         %[[LATE:.+]] = weir.identity %[[X]] after(%[[C]])
// CHECK:         weir.group "exp"
// CHECK:           weir.exp %[[LATE]] : (tensor<4xf32>)
weir.variable @v : tensor<4xf32>
weir.graph @waits(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %c = weir.assign @v, %x : tensor<4xf32>
  %y = weir.exp %x after(%c) : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %y : tensor<4xf32>
}

// -----

// One without operands to wait at: its readers wait.
// CHECK-LABEL: weir.graph @counts
// CHECK:         %[[I:.+]] = weir.group "iota"
// CHECK:         %[[LATE:.+]] = weir.identity %[[I]] after(%{{.+}})
// CHECK:         weir.fetch %[[LATE]]
weir.variable @v : tensor<4xf32>
weir.graph @counts(%x: tensor<4xf32>) -> (tensor<4xi32>) {
  %c = weir.assign @v, %x : tensor<4xf32>
  %y = weir.iota after(%c) {axis = 0 : i64, type = tensor<4xi32>} : () -> tensor<4xi32>
  weir.fetch %y : tensor<4xi32>
}

// -----

// A group that only another group reads becomes part of it: the transpose of
// an operand is no kernel of its own.
// CHECK-LABEL: weir.graph @transposed
// CHECK:         weir.group "matmul"
// CHECK:         weir.group "matmul_2"
// CHECK:         weir.group "transpose_matmul"
// CHECK-NEXT:      weir.transpose
// CHECK-NEXT:      weir.matmul
// CHECK-NOT:     weir.group
weir.graph @transposed(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>) -> (tensor<4x6xf32>) {
  %t = weir.transpose %w {permutation = array<i64: 1, 0>} : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %u = weir.matmul %x, %x {transpose_lhs} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
  %v = weir.matmul %x, %u : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  %y = weir.matmul %v, %t : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  weir.fetch %y : tensor<4x6xf32>
}

// -----

// A large constant is shared, a small one is copied to where it is used, and
// one that a node with effects uses stays.
// CHECK-LABEL: weir.graph @constants
// CHECK:         %[[KEPT:.+]] = weir.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK:         weir.assign @v, %[[KEPT]]
// CHECK:         %[[LARGE:.+]] = weir.constant dense<{{.+}}> : tensor<129xi64>
// CHECK:         weir.group
// CHECK:           weir.add %{{.+}}, %[[LARGE]]
weir.variable @v : tensor<2xf32>
weir.graph @constants(%x: tensor<129xi64>) -> (tensor<129xi64>) {
  %k = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = weir.assign @v, %k : tensor<2xf32>
  %large = weir.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128]> : tensor<129xi64>
  %y = weir.add %x, %large : (tensor<129xi64>, tensor<129xi64>) -> tensor<129xi64>
  weir.fetch %y after(%c) : tensor<129xi64>
}

// -----

// Nodes for different devices are in different groups, which say where they run.
// CHECK-LABEL: weir.graph @devices
// CHECK:         weir.group "exp" {{.*}} {
// CHECK:         } {weir.device = "/cpu:0"}
// CHECK:         weir.group "neg" {{.*}} {
// CHECK:         } {weir.device = "/gpu:0"}
weir.graph @devices(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %a = weir.exp %x {weir.device = "/cpu:0"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = weir.neg %a {weir.device = "/gpu:0"} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %b : tensor<4xf32>
}

// -----

// What no fetch needs is not run.
// CHECK-LABEL: weir.graph @dead
// CHECK-NOT:     weir.exp
// CHECK:         weir.fetch
weir.graph @dead(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %a = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %x : tensor<4xf32>
}

// -----

// A group runs as a whole: the check of its first node waits for its last one
// too, which waits for %p. So the sum may not join the group of %p: it would
// wait for itself.
// CHECK-LABEL: weir.graph @whole
// CHECK:         %[[P:.+]] = weir.group "matmul" -> tensor<4x4xf32> {
// CHECK:         %[[G:.+]]:2 = weir.group "exp_matmul" -> tensor<4x4xf32>, tensor<4x4xf32> {
// CHECK:           weir.matmul %{{.+}}, %[[P]]
// CHECK:         %[[C:.+]], %{{.+}} = weir.check_numerics %[[G]]#0
// CHECK:         weir.group "add"
// CHECK:           weir.add %[[P]], %[[C]]
weir.graph @whole(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = weir.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c, %cc = weir.check_numerics %e "not finite" : tensor<4x4xf32>
  %p = weir.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = weir.matmul %e, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = weir.add %p, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  weir.fetch %u, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Nodes of different sides of a predicate are never live together: each has its
// own group. Those that follow from one side, by whatever operands, have one.
// CHECK-LABEL: weir.graph @sides
// CHECK: weir.group "exp_add"
// CHECK: weir.group "neg"
// CHECK: weir.merge
module {
  weir.graph @sides(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %g, %u, %d = weir.switch %y, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.exp %f : (tensor<f32>) -> tensor<f32>
    %b = weir.add %a, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %n = weir.neg %t : (tensor<f32>) -> tensor<f32>
    %m, %i, %e = weir.merge %b, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %m : tensor<f32>
  }
}

// -----

// A node that reads a side does not join one that is always live; a merge of
// both sides is as live as what was switched.
// CHECK-LABEL: weir.graph @always
// CHECK: weir.group "exp"
// CHECK: weir.group "add"
// CHECK: weir.group "neg_mul"
module {
  weir.graph @always(%x: tensor<f32>, %p: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
    %a = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %b = weir.add %a, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m, %i, %e = weir.merge %b, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %n = weir.neg %m : (tensor<f32>) -> tensor<f32>
    %o = weir.mul %n, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %o, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// The condition of a loop and the next values are groups of their own frame;
// what enters the loop is computed outside. Constants are in every group.
// CHECK-LABEL: weir.graph @loop
// CHECK: weir.group "exp"
// CHECK: weir.enter
// CHECK: weir.group "compare"
// CHECK: weir.group "add_mul"
module {
  weir.graph @loop(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %one = weir.constant dense<1.0> : tensor<f32>
    %e = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %i0, %c0 = weir.enter %e {frame = "f"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %s0, %c1 = weir.enter %e {frame = "f"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %l, %c2 = weir.enter %limit {frame = "f", is_constant} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %i, %n0, %c3 = weir.merge %i0, %ni : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %s, %n1, %c4 = weir.merge %s0, %ns : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %l {predicate = #weir.compare<lt>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %sf, %st, %c7 = weir.switch %s, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.add %it, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = weir.mul %st, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %ni, %c8 = weir.next_iteration %a : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %ns, %c9 = weir.next_iteration %b : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %io, %c10 = weir.exit %if : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %so, %c11 = weir.exit %sf : (tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch %io, %so : tensor<f32>, tensor<f32>
  }
}

// -----

// Values of unknown rank and handles are handed on, not computed with.
// CHECK-LABEL: weir.graph @handed_on
// CHECK-NOT: weir.group
module {
  weir.variable @w : tensor<f32>
  weir.graph @handed_on(%x: tensor<*xf32>) -> tensor<*xf32> {
    %h = weir.handle @w
    %i = weir.identity %h : (!weir.resource) -> !weir.resource
    %r, %c = weir.read_resource %i : (!weir.resource) -> (tensor<f32>, !weir.control)
    %y = weir.identity %x after(%c) : (tensor<*xf32>) -> tensor<*xf32>
    weir.fetch %y : tensor<*xf32>
  }
}

// -----

// Each node by itself, where the module asks for it.
// CHECK-LABEL: weir.graph @tasks
// CHECK: weir.group "neg"
// CHECK: weir.group "exp"
module attributes {rt.executor = "tasks"} {
  weir.graph @tasks(%x: tensor<f32>) -> tensor<f32> {
    %n = weir.neg %x : (tensor<f32>) -> tensor<f32>
    %e = weir.exp %n : (tensor<f32>) -> tensor<f32>
    weir.fetch %e : tensor<f32>
  }
}

// -----

// Nodes that wait for different numbers of crossings between devices are in
// different groups: the first one makes what another device needs before it
// can send what the second one takes.
// CHECK-LABEL: weir.graph @crossings
// CHECK:         %[[FIRST:.+]] = weir.group "exp"
// CHECK:         weir.send %[[FIRST]]
// CHECK:         weir.group "add"
weir.graph @crossings(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %e = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %s = weir.send %e {tensor = "e", source = "/job:localhost/replica:0/task:0/device:CPU:0", destination = "/job:localhost/replica:0/task:0/device:CPU:1"} : (tensor<4xf32>) -> !weir.control
  %r, %c = weir.receive {tensor = "r", source = "/job:localhost/replica:0/task:0/device:CPU:1", destination = "/job:localhost/replica:0/task:0/device:CPU:0"} : () -> (tensor<4xf32>, !weir.control)
  %a = weir.add %e, %r {rt.hop = 2 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %a after(%s) : tensor<4xf32>
}
