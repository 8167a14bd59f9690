;; The product of rows x (R, I) with a matrix (O, I), transposed: result (R, O), all of 32-bit floats.
;; I is a multiple of 16. Four sums run side by side, so that no addition waits for the one before.
;; `python -m tests.demo.static.product` compiles this file into product_wasm.js.
(module
  (import "env" "memory" (memory 1))
  (func (export "product")
    (param $x i32) (param $weight i32) (param $result i32) (param $rows i32) (param $inputs i32) (param $outputs i32)
    (local $output i32) (local $row i32) (local $from i32) (local $at i32) (local $end i32) (local $bytes i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $bytes (i32.shl (local.get $inputs) (i32.const 2)))
    (loop $each_output
      (local.set $row (i32.const 0))
      (local.set $from (local.get $x))
      (loop $each_row
        (local.set $at (local.get $weight))
        (local.set $end (i32.add (local.get $weight) (local.get $bytes)))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (local.set $c (v128.const f32x4 0 0 0 0))
        (local.set $d (v128.const f32x4 0 0 0 0))
        (loop $each_part
          (local.set $a (f32x4.add (local.get $a)
            (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $from)))))
          (local.set $b (f32x4.add (local.get $b)
            (f32x4.mul (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $from)))))
          (local.set $c (f32x4.add (local.get $c)
            (f32x4.mul (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $from)))))
          (local.set $d (f32x4.add (local.get $d)
            (f32x4.mul (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $from)))))
          (local.set $from (i32.add (local.get $from) (i32.const 64)))
          (br_if $each_part
            (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $end))))
        (local.set $a (f32x4.add
          (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
        (f32.store
          (i32.add (local.get $result)
            (i32.shl (i32.add (i32.mul (local.get $row) (local.get $outputs)) (local.get $output)) (i32.const 2)))
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (br_if $each_row
          (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows))))
      (local.set $weight (i32.add (local.get $weight) (local.get $bytes)))
      (br_if $each_output
        (i32.lt_u (local.tee $output (i32.add (local.get $output) (i32.const 1))) (local.get $outputs))))))
