// RUN: weir-opt %s --weir-codegen-set-target='cpu=x86-64-v3 threads=3' | FileCheck %s --check-prefix=V3
// RUN: weir-opt %s --weir-codegen-set-target='cpu=znver4 threads=1' | FileCheck %s --check-prefix=ZEN4
// RUN: weir-opt %s --weir-codegen-set-target='cpu=generic threads=1' | FileCheck %s --check-prefix=GENERIC
// RUN: weir-opt %s --weir-codegen-set-target | FileCheck %s --check-prefix=NATIVE
// RUN: not weir-opt %s --weir-codegen-set-target=cpu=pentium-nine 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// The CPU to compile for is written down in the module.

// V3: rt.target = {cpu = "x86-64-v3", features = "{{.*}}+avx2,{{.*}}+fma,{{.*}}", threads = 3 : i64, vector_bytes = 32 : i64, vector_registers = 16 : i64}
// ZEN4: rt.target = {cpu = "znver4", features = "{{.*}}+avx512vl{{.*}}", threads = 1 : i64, vector_bytes = 64 : i64, vector_registers = 32 : i64}
// GENERIC: rt.target = {cpu = "x86-64", features = "{{.*}}", threads = 1 : i64, vector_bytes = 16 : i64, vector_registers = 16 : i64}
// NATIVE: rt.target = {cpu = "{{.+}}", features = "{{.+}}", threads = {{[1-9][0-9]*}} : i64
// UNKNOWN: [WEIR0152] there is no CPU named 'pentium-nine' for {{.+}}; `llc -mcpu=help` lists the names, 'native' is this machine
module {
}
