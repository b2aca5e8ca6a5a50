// Every error of the dialect's verifiers. The constraint violated stands above
// each (`program_c1`).
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

// program_c1
// expected-error@below {{[WEIR0242] there are arrays of 32, 128 and 256, and scratch is not negative; got an array of 48 and 0 bytes}}
mxu.program @p array 48 scratch 0 {
  mxu.halt
}

// -----

// program_c1
// expected-error@below {{got an array of 32 and -1 bytes}}
mxu.program @p array 32 scratch -1 {
  mxu.halt
}

// -----

mxu.program @p array 32 scratch 0 {
  mxu.halt
  // program_c2
  // expected-error@below {{[WEIR0242] is no part of a program of the accelerator}}
  mxu.program @q array 32 scratch 0 {
  }
}

// -----

mxu.program @p array 32 scratch 0 {
  mxu.output elements 1 row 1 rows 1
  // program_c2
  // expected-error@below {{[WEIR0242] comes too late: inputs are before outputs, and there is one mxu.weights at most}}
  mxu.input elements 1 row 1 rows 1
}

// -----

mxu.program @p array 32 scratch 0 {
  mxu.weights dense<1> : tensor<2xi8>
  // program_c2
  // expected-error@below {{[WEIR0242] comes too late}}
  mxu.weights dense<1> : tensor<2xi8>
}

// -----

mxu.program @p array 32 scratch 0 {
  // input_c1
  // expected-error@below {{[WEIR0242] elements have 1 or 4 bytes, a row one or more elements and at most 2^32 bytes, and rows are -1 or more; got 2, 4 and 1}}
  mxu.input elements 2 row 4
}

// -----

mxu.program @p array 32 scratch 0 {
  // output_c1
  // expected-error@below {{got 4, 6 and -1}}
  mxu.output elements 4 row 6 rows -1
}

// -----

mxu.program @p array 32 scratch 0 {
  // input_c1
  // expected-error@below {{got 1, 6 and -2}}
  mxu.input elements 1 row 6 rows -2
}

// -----

mxu.program @p array 32 scratch 0 {
  // weights_c1
  // expected-error@below {{[WEIR0242] weights are bytes (i8), got 'i32'}}
  mxu.weights dense<1> : tensor<2xi32>
}

// -----

mxu.program @p array 32 scratch 0 {
  // window_c1
  // expected-error@below {{[WEIR0242] 'images' is in 1 to 65535, got 0}}
  mxu.window images=0 height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3 stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=1 pad_left=1
}

// -----

mxu.program @p array 32 scratch 0 {
  // window_c1
  // expected-error@below {{[WEIR0242] 'pad_top' is in 0 to 65535, got 65536}}
  mxu.window images=1 height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3 stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=65536 pad_left=1
}

// -----

mxu.program @p array 32 scratch 0 {
  // nop_c1
  // expected-error@below {{[WEIR0242] 'queue' is in 0 to 3, got 4}}
  mxu.nop queue=4
}

// -----

mxu.program @p array 32 scratch 0 {
  // halt_c1
  // expected-error@below {{[WEIR0242] takes tokens from and gives tokens to no queue, as no queue runs it}}
  mxu.halt wait(ld)
}

// -----

mxu.program @p array 32 scratch 0 {
  // loop_c1
  // expected-error@below {{[WEIR0242] takes tokens from and gives tokens to no queue}}
  mxu.loop images=1 length=1 signal(mx)
}

// -----

mxu.program @p array 32 scratch 0 {
  // loop_c2
  // expected-error@below {{[WEIR0242] 'images' is in 1 to 4294967295, got 0}}
  mxu.loop images=0 length=1
}

// -----

mxu.program @p array 32 scratch 0 {
  // loop_c2
  // expected-error@below {{[WEIR0242] 'length' is in 1 to 4294967295, got 4294967296}}
  mxu.loop images=1 length=4294967296
}

// -----

mxu.program @p array 32 scratch 0 {
  // lda_c1
  // expected-error@below {{[WEIR0242] 'rows' is in 1 to 65535, got 0}}
  mxu.lda space=2 offset=0 stride=1 lanes=1 rows=0 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // lda_c1
  // expected-error@below {{[WEIR0242] 'stride' is in 0 to 16777215, got -1}}
  mxu.lda space=2 offset=0 stride=-1 lanes=1 rows=1 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // lda_c2
  // expected-error@below {{[WEIR0242] uses rows 32760 to 32768 of the unified buffer, which has 32768}}
  mxu.lda space=2 offset=0 stride=1 lanes=1 rows=9 ub=32760
}

// -----

mxu.program @p array 32 scratch 0 {
  // lda_c2
  // expected-error@below {{[WEIR0242] has 33 lanes, more than the array's 32}}
  mxu.lda space=2 offset=0 stride=1 lanes=33 rows=1 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // sta_c1
  // expected-error@below {{[WEIR0242] 'rows' is in 1 to 65535, got 0}}
  mxu.sta space=2 offset=0 stride=1 lanes=1 rows=0 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // sta_c1
  // expected-error@below {{[WEIR0242] 'stride' is in 0 to 16777215, got -1}}
  mxu.sta space=2 offset=0 stride=-1 lanes=1 rows=1 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // sta_c2
  // expected-error@below {{[WEIR0242] uses rows 32760 to 32768 of the unified buffer, which has 32768}}
  mxu.sta space=2 offset=0 stride=1 lanes=1 rows=9 ub=32760
}

// -----

mxu.program @p array 32 scratch 0 {
  // sta_c2
  // expected-error@below {{[WEIR0242] has 33 lanes, more than the array's 32}}
  mxu.sta space=2 offset=0 stride=1 lanes=33 rows=1 ub=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldw_c1
  // expected-error@below {{[WEIR0242] 'lanes' is in 1 to 256, got 0}}
  mxu.ldw space=0 offset=0 stride=1 lanes=0 rows=1
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldw_c2
  // expected-error@below {{[WEIR0242] a tile of 33 rows does not fit an array of 32}}
  mxu.ldw space=0 offset=0 stride=1 lanes=1 rows=33
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldw_c2
  // expected-error@below {{[WEIR0242] has 40 lanes, more than the array's 32}}
  mxu.ldw space=0 offset=0 stride=1 lanes=40 rows=3
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldp_c1
  // expected-error@below {{[WEIR0242] 'space' is in 0 to 255, got 256}}
  mxu.ldp space=256 offset=0 lanes=1 param=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldp_c2
  // expected-error@below {{[WEIR0242] uses rows 4096 to 4096 of the parameters, which has 4096}}
  mxu.ldp space=0 offset=0 lanes=1 param=4096
}

// -----

mxu.program @p array 32 scratch 0 {
  // ldp_c2
  // expected-error@below {{[WEIR0242] has 33 lanes}}
  mxu.ldp space=0 offset=0 lanes=33 param=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mm_c1
  // expected-error@below {{[WEIR0242] 'zero' is in -128 to 127, got 128}}
  mxu.mm ub=0 acc=0 rows=1 zero=128 swap=0 accumulate=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mm_c2
  // expected-error@below {{[WEIR0242] uses rows 4090 to 4098 of the accumulators, which has 4096}}
  mxu.mm ub=0 acc=4090 rows=9 zero=0 swap=0 accumulate=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mm_c2
  // expected-error@below {{[WEIR0242] uses rows 32767 to 32768 of the unified buffer}}
  mxu.mm ub=32767 acc=0 rows=2 zero=0 swap=0 accumulate=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mmc_c1
  // expected-error@below {{[WEIR0242] 'window' is in 0 to 255, got 256}}
  mxu.mmc ub=0 acc=0 rows=1 zero=0 swap=0 accumulate=0 window=256 first=0 tile=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mmc_c2
  // expected-error@below {{[WEIR0242] uses rows 4095 to 4096 of the accumulators}}
  mxu.mmc ub=0 acc=4095 rows=2 zero=0 swap=0 accumulate=0 window=0 first=0 tile=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // mmc_c2
  // expected-error@below {{[WEIR0242] uses rows 32768 to 32768 of the unified buffer}}
  mxu.mmc ub=32768 acc=0 rows=2 zero=0 swap=0 accumulate=0 window=0 first=0 tile=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // act_c1
  // expected-error@below {{[WEIR0242] 'min' is in -128 to 127, got -129}}
  mxu.act acc=0 ub=0 rows=1 param=0 zero=0 min=-129 max=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // act_c2
  // expected-error@below {{[WEIR0242] uses rows 4094 to 4096 of the parameters}}
  mxu.act acc=0 ub=0 rows=1 param=4094 zero=0 min=0 max=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // act_c2
  // expected-error@below {{[WEIR0242] uses rows 32767 to 32768 of the unified buffer}}
  mxu.act acc=0 ub=32767 rows=2 param=0 zero=0 min=0 max=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // pool_c1
  // expected-error@below {{[WEIR0242] 'first' is in 0 to 16777215, got 16777216}}
  mxu.pool source=0 ub=0 rows=1 window=0 first=16777216
}

// -----

mxu.program @p array 32 scratch 0 {
  // pool_c2
  // expected-error@below {{[WEIR0242] uses rows 32768 to 32768 of the unified buffer}}
  mxu.pool source=32768 ub=0 rows=1 window=0 first=0
}

// -----

mxu.program @p array 32 scratch 0 {
  // actp_c1
  // expected-error@below {{[WEIR0242] 'window' is in 0 to 255, got 256}}
  mxu.actp acc=0 ub=0 rows=1 param=0 zero=0 min=0 max=0 window=256
}

// -----

mxu.program @p array 32 scratch 0 {
  // actp_c2
  // expected-error@below {{[WEIR0242] uses rows 4094 to 4096 of the parameters}}
  mxu.actp acc=4095 ub=0 rows=2 param=4094 zero=0 min=0 max=0 window=0
}

// -----

// Queues have names.
mxu.program @p array 32 scratch 0 {
  // expected-error@below {{[WEIR0241] there is no queue 'mm'; they are ld, mx, vx and st}}
  mxu.mxw wait(mm)
}
