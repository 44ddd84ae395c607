// RUN: %octavo-opt --list-passes --load %S/Inputs/plugin.py | FileCheck %s

// CHECK:      lift:
// CHECK:        {{^ +}}check-lifted {{ +}}Fail
// CHECK:      optimize:
// CHECK:        {{^ +}}always-fails {{ +}}Fail.
// CHECK:        {{^ +}}paginate-kv {{ +}}Turn
// CHECK-NEXT:   {{^ +}}block-size=int {{ +}}(default: 16)
// CHECK:        {{^ +}}scale-twice {{ +}}Scale again what is scaled, once.
// CHECK:      lower:
// CHECK:        {{^ +}}check-lowered {{ +}}Fail
