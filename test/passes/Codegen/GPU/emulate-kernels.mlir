// A kernel becomes a loop over the threads of a block for each piece between
// the points where they meet.
//
// RUN: weir-opt %s --weir-gpu-emulate-kernels --split-input-file | FileCheck %s

// What is the same in all threads is computed once; there is no buffer.
// CHECK-LABEL: func.func @scale.emulated
// CHECK-SAME:    %[[BLOCK:.+]]: !llvm.ptr, %[[ARGS:.+]]: !llvm.ptr
// CHECK-NOT:     memref.alloca
// CHECK:         %[[FIRST:.+]] = arith.muli
// CHECK:         scf.for %[[T:.+]] = %c0{{.*}} to %c64
// CHECK-NEXT:      %[[I:.+]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:           memref.load
// CHECK:           memref.store
// CHECK:         return
module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @scale(%m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c64 = arith.constant 64 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %first = arith.muli %b, %c64 : index
      %i = arith.addi %first, %t : index
      %v = memref.load %m[%i] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%i] : memref<?xf32>
      gpu.return
    }
  }
}

// -----

// A value that is used behind a barrier has a place for each thread; shared
// memory is that of the block.
// CHECK-LABEL: func.func @turn.emulated
// CHECK:         %[[PLACES:.+]] = memref.alloca() : memref<32xf32>
// CHECK:         %[[SHARED:.+]] = memref.view %{{.+}} : memref<?xi8> to memref<32xf32>
// CHECK:         scf.for %[[T:.+]] =
// CHECK:           %[[V:.+]] = memref.load
// CHECK:           memref.store %[[V]], %[[PLACES]][%[[T]]]
// CHECK:           memref.store %[[V]], %[[SHARED]][%[[T]]]
// CHECK:         }
// CHECK:         scf.for %[[U:.+]] =
// CHECK:           %[[OTHER:.+]] = memref.load %[[SHARED]]
// CHECK:           %[[MINE:.+]] = memref.load %[[PLACES]][%[[U]]]
// CHECK:           arith.subf %[[OTHER]], %[[MINE]]
module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @turn(%m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %t = gpu.thread_id x
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      %v = memref.load %m[%t] : memref<32xf32>
      memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %o = arith.subi %c31, %t : index
      %w = memref.load %s[%o] : memref<32xf32, #gpu.address_space<workgroup>>
      %d = arith.subf %w, %v : f32
      memref.store %d, %m[%t] : memref<32xf32>
      gpu.return
    }
  }
}

// -----

// Threads meet in a loop: it is a loop of the function, what it carries is in
// memory, and a shuffle reads the place of another lane.
// CHECK-LABEL: func.func @carry.emulated
// CHECK:         scf.for %{{.+}} = %c0{{.*}} to %c4
// CHECK:           scf.for
// CHECK:             arith.xori
// CHECK:             arith.select
// CHECK:             memref.load %{{.+}} : memref<32xf32>
module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @carry(%m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %lane = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %t = gpu.thread_id x
      %v = memref.load %m[%t] : memref<32xf32>
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %v) -> f32 {
        %o, %ok = gpu.shuffle xor %x, %lane, %width : f32
        %y = arith.addf %x, %o : f32
        scf.yield %y : f32
      }
      memref.store %r, %m[%t] : memref<32xf32>
      gpu.return
    }
  }
}

// -----

// Nothing happens where nobody asks for it.
// CHECK-LABEL: gpu.module @code
// CHECK-NOT:   emulated
gpu.module @code {
  gpu.func @alone() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

// A load that gives all threads the same is done once: they may meet where it
// says so.
// CHECK-LABEL: func.func @guarded.emulated
// CHECK:         %[[SITE:.+]] = memref.load %{{.+}} : memref<3xi64>
// CHECK:         %[[FINE:.+]] = arith.cmpi eq, %[[SITE]]
// CHECK:         scf.if %[[FINE]]
// CHECK-COUNT-2:   scf.for
// CHECK:         return
module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @guarded(%record: memref<3xi64>, %m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0 : i64
      %one = arith.constant 1.0 : f32
      %t = gpu.thread_id x
      %site = memref.load %record[%c0] {rt.uniform} : memref<3xi64>
      %fine = arith.cmpi eq, %site, %none : i64
      scf.if %fine {
        memref.store %one, %m[%t] : memref<32xf32>
        gpu.barrier
        %v = memref.load %m[%c0] : memref<32xf32>
        memref.store %v, %m[%t] : memref<32xf32>
      }
      gpu.return
    }
  }
}
