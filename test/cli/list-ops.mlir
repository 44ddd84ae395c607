// RUN: %octavo-opt --list-ops | FileCheck %s

// CHECK:      llm.activation {{ +}}`out = f(x)` element by element
// CHECK-NEXT: llm.add_rms_norm {{ +}}
// CHECK:      llm.kv_write
// CHECK:      llm.weight {{ +}}A parameter of the model
// CHECK-NOT:  llm.
