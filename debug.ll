; ModuleID = 'reverse'
source_filename = "reverse"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@zeros = private constant [8 x i8] zeroinitializer, align 8

; Function Attrs: nounwind strictfp
define i32 @reverse(ptr noalias readonly %0, ptr noalias readonly %1, ptr noalias align 64 %2) #0 !dbg !4 {
entry:
  %sink = alloca i64, align 8
  %x = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds i8, ptr %0, i64 8
  %x.len = load i32, ptr %3, align 4
  %4 = getelementptr inbounds i8, ptr %0, i64 16
  %y = load ptr, ptr %4, align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 24
  %y.len = load i32, ptr %5, align 4
  %6 = load i32, ptr %1, align 4
  %7 = getelementptr inbounds i8, ptr %1, i64 4
  %8 = load i32, ptr %7, align 4
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %1, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = icmp ult i64 %10, %12
  br i1 %13, label %start, label %done

start:                                            ; preds = %entry
  %14 = zext i32 %6 to i64
  %15 = zext i32 %8 to i64
  %16 = trunc i64 %10 to i32
  %17 = icmp ult i64 %10, %14
  br i1 %17, label %first, label %rows

group:                                            ; preds = %join, %first
  %groups.0 = phi i64 [ %25, %first ], [ %46, %join ]
  %group.at2.0 = phi i32 [ %group.at2.1, %first ], [ %45, %join ]
  %group.at1.0 = phi i32 [ %group.at1.1, %first ], [ %43, %join ]
  %group.at.0 = phi i32 [ %group.at.1, %first ], [ %39, %join ]
  br label %count, !dbg !14

done:                                             ; preds = %join, %entry
  ret i32 0, !dbg !14

rows:                                             ; preds = %start
  %18 = udiv i64 %10, %14
  %19 = urem i64 %10, %14
  %20 = trunc i64 %19 to i32
  %21 = urem i64 %18, %15
  %22 = trunc i64 %21 to i32
  %23 = udiv i64 %18, %15
  %24 = trunc i64 %23 to i32
  br label %first

first:                                            ; preds = %rows, %start
  %group.at2.1 = phi i32 [ 0, %start ], [ %24, %rows ]
  %group.at1.1 = phi i32 [ 0, %start ], [ %22, %rows ]
  %group.at.1 = phi i32 [ %16, %start ], [ %20, %rows ]
  %25 = sub i64 %12, %10
  %invariant.umin = call i32 @llvm.umin.i32(i32 %x.len, i32 %y.len)
  %.splatinsert37 = insertelement <4 x i32> poison, i32 %x.len, i64 0
  %.splat38 = shufflevector <4 x i32> %.splatinsert37, <4 x i32> poison, <4 x i32> zeroinitializer
  %26 = getelementptr i8, ptr %x, i64 8589934592
  %invariant.gep = getelementptr i8, ptr %2, i64 -12
  %.splatinsert57 = insertelement <4 x i32> poison, i32 %y.len, i64 0
  %.splat58 = shufflevector <4 x i32> %.splatinsert57, <4 x i32> poison, <4 x i32> zeroinitializer
  %27 = getelementptr i8, ptr %y, i64 8589934592
  %28 = ptrtoint ptr %sink to i64
  br label %group

count:                                            ; preds = %count, %group
  %i = phi i32 [ 0, %group ], [ %next, %count ], !dbg !14
  %29 = zext i32 %i to i64, !dbg !14
  %30 = getelementptr <16 x i32>, ptr %2, i64 %29, !dbg !14
  store <16 x i32> zeroinitializer, ptr %30, align 64, !dbg !14
  %next = add nuw nsw i32 %i, 1, !dbg !14
  %31 = icmp ult i32 %next, 4, !dbg !14
  br i1 %31, label %count, label %counted, !dbg !14

counted:                                          ; preds = %count
  %32 = mul i32 %group.at.0, 64, !dbg !15
  %33 = add i32 %32, 63, !dbg !16
  %34 = icmp ult i32 %33, %32, !dbg !16
  %35 = select i1 %34, i32 -1, i32 %33, !dbg !16
  %36 = icmp ult i32 %35, %invariant.umin, !dbg !16
  br i1 %36, label %count5, label %count27, !dbg !16

join:                                             ; preds = %counted49, %counted19
  %37 = add i32 %group.at.0, 1, !dbg !14
  %38 = icmp eq i32 %37, %6, !dbg !14
  %39 = select i1 %38, i32 0, i32 %37, !dbg !14
  %40 = zext i1 %38 to i32, !dbg !14
  %41 = add i32 %group.at1.0, %40, !dbg !14
  %42 = icmp eq i32 %41, %8, !dbg !14
  %43 = select i1 %42, i32 0, i32 %41, !dbg !14
  %44 = zext i1 %42 to i32, !dbg !14
  %45 = add i32 %group.at2.0, %44, !dbg !14
  %46 = sub i64 %groups.0, 1, !dbg !14
  %47 = icmp ne i64 %46, 0, !dbg !14
  br i1 %47, label %group, label %done, !dbg !14

count5:                                           ; preds = %counted, %counted10
  %i7 = phi i32 [ %next13, %counted10 ], [ 0, %counted ], !dbg !16
  %row = mul i32 %i7, 8
  %48 = mul i32 %i7, 32
  br label %count9, !dbg !16

count9:                                           ; preds = %count9, %count5
  %i11 = phi i32 [ 0, %count5 ], [ %next12, %count9 ], !dbg !16
  %local.x = mul nuw nsw i32 %i11, 4, !dbg !16
  %49 = add i32 %row, %i11, !dbg !16
  %50 = add i32 %48, %local.x, !dbg !16
  %51 = add i32 %32, %50, !dbg !15
  %52 = zext i32 %51 to i64, !dbg !17
  %53 = mul i64 %52, 4, !dbg !17
  %54 = getelementptr i8, ptr %x, i64 %53, !dbg !17
  %55 = load <4 x float>, ptr %54, align 4, !dbg !17
  %56 = call <4 x float> @llvm.experimental.constrained.fmul.v4f32(<4 x float> %55, <4 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, metadata !"round.tonearest", metadata !"fpexcept.maytrap") #4, !dbg !17
  %57 = zext i32 %49 to i64, !dbg !17
  %58 = mul i64 %57, 16, !dbg !17
  %59 = add i64 %58, 256, !dbg !17
  %context = getelementptr i8, ptr %2, i64 %59, !dbg !17
  store <4 x float> %56, ptr %context, align 16, !dbg !17
  %60 = call <4 x float> @llvm.x86.sse.cmp.ps(<4 x float> %56, <4 x float> %56, i8 3) #5, !dbg !18
  %61 = bitcast <4 x float> %60 to <4 x i32>, !dbg !18
  %62 = icmp slt <4 x i32> %61, zeroinitializer, !dbg !18
  %63 = select <4 x i1> %62, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %56, !dbg !18
  %64 = sext i32 %50 to i64, !dbg !18
  %65 = mul i64 %64, 4, !dbg !18
  %66 = getelementptr i8, ptr %2, i64 %65, !dbg !18
  store <4 x float> %63, ptr %66, align 4, !dbg !18
  %next12 = add nuw nsw i32 %i11, 1, !dbg !18
  %67 = icmp ult i32 %next12, 8, !dbg !18
  br i1 %67, label %count9, label %counted10, !dbg !18

counted10:                                        ; preds = %count9
  %next13 = add nuw nsw i32 %i7, 1, !dbg !18
  %68 = icmp ult i32 %next13, 2, !dbg !18
  br i1 %68, label %count5, label %count14, !dbg !18

count14:                                          ; preds = %counted10, %counted19
  %i16 = phi i32 [ %next26, %counted19 ], [ 0, %counted10 ], !dbg !19
  %row22 = mul i32 %i16, 8
  %69 = mul i32 %i16, 32
  br label %count18, !dbg !19

count18:                                          ; preds = %count18, %count14
  %i20 = phi i32 [ 0, %count14 ], [ %next25, %count18 ], !dbg !19
  %local.x21 = mul nuw nsw i32 %i20, 4, !dbg !19
  %70 = add i32 %row22, %i20, !dbg !19
  %71 = zext i32 %70 to i64, !dbg !19
  %72 = mul i64 %71, 16, !dbg !19
  %73 = add i64 %72, 256, !dbg !19
  %context24 = getelementptr i8, ptr %2, i64 %73, !dbg !19
  %74 = load <4 x float>, ptr %context24, align 16, !dbg !19
  %75 = add i32 %69, %local.x21, !dbg !19
  %76 = add i32 %32, %75, !dbg !19
  %77 = sub i32 63, %75, !dbg !20
  %78 = sext i32 %77 to i64, !dbg !20
  %79 = mul i64 %78, 4, !dbg !20
  %gep65 = getelementptr i8, ptr %invariant.gep, i64 %79, !dbg !20
  %80 = load <4 x float>, ptr %gep65, align 4, !dbg !20
  %81 = shufflevector <4 x float> %80, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>, !dbg !20
  %82 = call <4 x float> @llvm.experimental.constrained.fadd.v4f32(<4 x float> %74, <4 x float> %81, metadata !"round.tonearest", metadata !"fpexcept.maytrap") #4, !dbg !21
  %83 = call <4 x float> @llvm.x86.sse.cmp.ps(<4 x float> %82, <4 x float> %82, i8 3) #5, !dbg !22
  %84 = bitcast <4 x float> %83 to <4 x i32>, !dbg !22
  %85 = icmp slt <4 x i32> %84, zeroinitializer, !dbg !22
  %86 = select <4 x i1> %85, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %82, !dbg !22
  %87 = zext i32 %76 to i64, !dbg !22
  %88 = mul i64 %87, 4, !dbg !22
  %89 = getelementptr i8, ptr %y, i64 %88, !dbg !22
  store <4 x float> %86, ptr %89, align 4, !dbg !22
  %next25 = add nuw nsw i32 %i20, 1, !dbg !22
  %90 = icmp ult i32 %next25, 8, !dbg !22
  br i1 %90, label %count18, label %counted19, !dbg !22

counted19:                                        ; preds = %count18
  %next26 = add nuw nsw i32 %i16, 1, !dbg !22
  %91 = icmp ult i32 %next26, 2, !dbg !22
  br i1 %91, label %count14, label %join, !dbg !22

count27:                                          ; preds = %counted, %counted32
  %i29 = phi i32 [ %next43, %counted32 ], [ 0, %counted ], !dbg !22
  %row35 = mul i32 %i29, 8
  %92 = mul i32 %i29, 32
  br label %count31, !dbg !22

count31:                                          ; preds = %loaded, %count27
  %i33 = phi i32 [ 0, %count27 ], [ %next42, %loaded ], !dbg !22
  %local.x34 = mul nuw nsw i32 %i33, 4, !dbg !22
  %93 = add i32 %row35, %i33, !dbg !22
  %94 = add i32 %92, %local.x34, !dbg !16
  %95 = add i32 %32, %94, !dbg !15
  %.splatinsert = insertelement <4 x i32> poison, i32 %95, i64 0, !dbg !17
  %.splat = shufflevector <4 x i32> %.splatinsert, <4 x i32> poison, <4 x i32> zeroinitializer, !dbg !17
  %96 = add <4 x i32> %.splat, <i32 0, i32 1, i32 2, i32 3>, !dbg !17
  %97 = icmp ult <4 x i32> %96, %.splat38, !dbg !17
  %98 = sext <4 x i1> %97 to <4 x i32>, !dbg !17
  %99 = add i32 %95, 3, !dbg !17
  %100 = icmp ult i32 %99, %x.len, !dbg !17
  br i1 %100, label %load.all, label %load.some, !dbg !17

counted32:                                        ; preds = %loaded
  %next43 = add nuw nsw i32 %i29, 1, !dbg !18
  %101 = icmp ult i32 %next43, 2, !dbg !18
  br i1 %101, label %count27, label %count44, !dbg !18

loaded:                                           ; preds = %load.some, %load.all
  %102 = phi <4 x float> [ %118, %load.all ], [ %161, %load.some ], !dbg !17
  %103 = call <4 x float> @llvm.experimental.constrained.fmul.v4f32(<4 x float> %102, <4 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, metadata !"round.tonearest", metadata !"fpexcept.maytrap") #4, !dbg !17
  %104 = zext i32 %93 to i64, !dbg !17
  %105 = mul i64 %104, 16, !dbg !17
  %106 = add i64 %105, 512, !dbg !17
  %context41 = getelementptr i8, ptr %2, i64 %106, !dbg !17
  store <4 x float> %103, ptr %context41, align 16, !dbg !17
  %107 = call <4 x float> @llvm.x86.sse.cmp.ps(<4 x float> %103, <4 x float> %103, i8 3) #5, !dbg !18
  %108 = bitcast <4 x float> %107 to <4 x i32>, !dbg !18
  %109 = icmp slt <4 x i32> %108, zeroinitializer, !dbg !18
  %110 = select <4 x i1> %109, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %103, !dbg !18
  %111 = sext i32 %94 to i64, !dbg !18
  %112 = mul i64 %111, 4, !dbg !18
  %113 = getelementptr i8, ptr %2, i64 %112, !dbg !18
  store <4 x float> %110, ptr %113, align 4, !dbg !18
  %next42 = add nuw nsw i32 %i33, 1, !dbg !18
  %114 = icmp ult i32 %next42, 8, !dbg !18
  br i1 %114, label %count31, label %counted32, !dbg !18

load.all:                                         ; preds = %count31
  %115 = zext i32 %95 to i64, !dbg !17
  %116 = mul i64 %115, 4, !dbg !17
  %117 = getelementptr i8, ptr %x, i64 %116, !dbg !17
  %118 = load <4 x float>, ptr %117, align 4, !dbg !17
  br label %loaded, !dbg !17

load.some:                                        ; preds = %count31
  %119 = xor <4 x i32> %96, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !17
  %120 = sext <4 x i32> %119 to <4 x i64>, !dbg !17
  %121 = getelementptr i32, ptr %26, <4 x i64> %120, !dbg !17
  %122 = extractelement <4 x ptr> %121, i64 0, !dbg !17
  %123 = ptrtoint ptr %122 to i64, !dbg !17
  %124 = extractelement <4 x i32> %98, i64 0, !dbg !17
  %125 = sext i32 %124 to i64, !dbg !17
  %126 = xor i64 %123, ptrtoint (ptr @zeros to i64), !dbg !17
  %127 = and i64 %126, %125, !dbg !17
  %128 = xor i64 ptrtoint (ptr @zeros to i64), %127, !dbg !17
  %129 = inttoptr i64 %128 to ptr, !dbg !17
  %130 = load float, ptr %129, align 4, !dbg !17
  %131 = insertelement <4 x float> poison, float %130, i64 0, !dbg !17
  %132 = extractelement <4 x ptr> %121, i64 1, !dbg !17
  %133 = ptrtoint ptr %132 to i64, !dbg !17
  %134 = extractelement <4 x i32> %98, i64 1, !dbg !17
  %135 = sext i32 %134 to i64, !dbg !17
  %136 = xor i64 %133, ptrtoint (ptr @zeros to i64), !dbg !17
  %137 = and i64 %136, %135, !dbg !17
  %138 = xor i64 ptrtoint (ptr @zeros to i64), %137, !dbg !17
  %139 = inttoptr i64 %138 to ptr, !dbg !17
  %140 = load float, ptr %139, align 4, !dbg !17
  %141 = insertelement <4 x float> %131, float %140, i64 1, !dbg !17
  %142 = extractelement <4 x ptr> %121, i64 2, !dbg !17
  %143 = ptrtoint ptr %142 to i64, !dbg !17
  %144 = extractelement <4 x i32> %98, i64 2, !dbg !17
  %145 = sext i32 %144 to i64, !dbg !17
  %146 = xor i64 %143, ptrtoint (ptr @zeros to i64), !dbg !17
  %147 = and i64 %146, %145, !dbg !17
  %148 = xor i64 ptrtoint (ptr @zeros to i64), %147, !dbg !17
  %149 = inttoptr i64 %148 to ptr, !dbg !17
  %150 = load float, ptr %149, align 4, !dbg !17
  %151 = insertelement <4 x float> %141, float %150, i64 2, !dbg !17
  %152 = extractelement <4 x ptr> %121, i64 3, !dbg !17
  %153 = ptrtoint ptr %152 to i64, !dbg !17
  %154 = extractelement <4 x i32> %98, i64 3, !dbg !17
  %155 = sext i32 %154 to i64, !dbg !17
  %156 = xor i64 %153, ptrtoint (ptr @zeros to i64), !dbg !17
  %157 = and i64 %156, %155, !dbg !17
  %158 = xor i64 ptrtoint (ptr @zeros to i64), %157, !dbg !17
  %159 = inttoptr i64 %158 to ptr, !dbg !17
  %160 = load float, ptr %159, align 4, !dbg !17
  %161 = insertelement <4 x float> %151, float %160, i64 3, !dbg !17
  br label %loaded, !dbg !17

count44:                                          ; preds = %counted32, %counted49
  %i46 = phi i32 [ %next62, %counted49 ], [ 0, %counted32 ], !dbg !19
  %row52 = mul i32 %i46, 8
  %162 = mul i32 %i46, 32
  br label %count48, !dbg !19

count48:                                          ; preds = %stored, %count44
  %i50 = phi i32 [ 0, %count44 ], [ %next61, %stored ], !dbg !19
  %local.x51 = mul nuw nsw i32 %i50, 4, !dbg !19
  %163 = add i32 %row52, %i50, !dbg !19
  %164 = zext i32 %163 to i64, !dbg !19
  %165 = mul i64 %164, 16, !dbg !19
  %166 = add i64 %165, 512, !dbg !19
  %context54 = getelementptr i8, ptr %2, i64 %166, !dbg !19
  %167 = load <4 x float>, ptr %context54, align 16, !dbg !19
  %168 = add i32 %162, %local.x51, !dbg !19
  %169 = add i32 %32, %168, !dbg !19
  %170 = sub i32 63, %168, !dbg !20
  %171 = sext i32 %170 to i64, !dbg !20
  %172 = mul i64 %171, 4, !dbg !20
  %gep = getelementptr i8, ptr %invariant.gep, i64 %172, !dbg !20
  %173 = load <4 x float>, ptr %gep, align 4, !dbg !20
  %174 = shufflevector <4 x float> %173, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>, !dbg !20
  %175 = call <4 x float> @llvm.experimental.constrained.fadd.v4f32(<4 x float> %167, <4 x float> %174, metadata !"round.tonearest", metadata !"fpexcept.maytrap") #4, !dbg !21
  %.splatinsert55 = insertelement <4 x i32> poison, i32 %169, i64 0, !dbg !22
  %.splat56 = shufflevector <4 x i32> %.splatinsert55, <4 x i32> poison, <4 x i32> zeroinitializer, !dbg !22
  %176 = add <4 x i32> %.splat56, <i32 0, i32 1, i32 2, i32 3>, !dbg !22
  %177 = icmp ult <4 x i32> %176, %.splat58, !dbg !22
  %178 = add i32 %169, 3, !dbg !22
  %179 = icmp ult i32 %178, %y.len, !dbg !22
  %180 = call <4 x float> @llvm.x86.sse.cmp.ps(<4 x float> %175, <4 x float> %175, i8 3) #5, !dbg !22
  %181 = bitcast <4 x float> %180 to <4 x i32>, !dbg !22
  %182 = icmp slt <4 x i32> %181, zeroinitializer, !dbg !22
  %183 = select <4 x i1> %182, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %175, !dbg !22
  br i1 %179, label %store.all, label %store.some, !dbg !22

counted49:                                        ; preds = %stored
  %next62 = add nuw nsw i32 %i46, 1, !dbg !22
  %184 = icmp ult i32 %next62, 2, !dbg !22
  br i1 %184, label %count44, label %join, !dbg !22

stored:                                           ; preds = %store.some, %store.all
  %next61 = add nuw nsw i32 %i50, 1, !dbg !22
  %185 = icmp ult i32 %next61, 8, !dbg !22
  br i1 %185, label %count48, label %counted49, !dbg !22

store.all:                                        ; preds = %count48
  %186 = zext i32 %169 to i64, !dbg !22
  %187 = mul i64 %186, 4, !dbg !22
  %188 = getelementptr i8, ptr %y, i64 %187, !dbg !22
  store <4 x float> %183, ptr %188, align 4, !dbg !22
  br label %stored, !dbg !22

store.some:                                       ; preds = %count48
  %189 = xor <4 x i32> %176, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !22
  %190 = sext <4 x i32> %189 to <4 x i64>, !dbg !22
  %191 = getelementptr i32, ptr %27, <4 x i64> %190, !dbg !22
  %192 = extractelement <4 x float> %183, i64 0, !dbg !22
  %193 = extractelement <4 x ptr> %191, i64 0, !dbg !22
  %194 = ptrtoint ptr %193 to i64, !dbg !22
  %195 = extractelement <4 x i1> %177, i64 0, !dbg !22
  %196 = sext i1 %195 to i64, !dbg !22
  %197 = xor i64 %194, %28, !dbg !22
  %198 = and i64 %197, %196, !dbg !22
  %199 = xor i64 %28, %198, !dbg !22
  %200 = inttoptr i64 %199 to ptr, !dbg !22
  store float %192, ptr %200, align 4, !dbg !22
  %201 = extractelement <4 x float> %183, i64 1, !dbg !22
  %202 = extractelement <4 x ptr> %191, i64 1, !dbg !22
  %203 = ptrtoint ptr %202 to i64, !dbg !22
  %204 = extractelement <4 x i1> %177, i64 1, !dbg !22
  %205 = sext i1 %204 to i64, !dbg !22
  %206 = xor i64 %203, %28, !dbg !22
  %207 = and i64 %206, %205, !dbg !22
  %208 = xor i64 %28, %207, !dbg !22
  %209 = inttoptr i64 %208 to ptr, !dbg !22
  store float %201, ptr %209, align 4, !dbg !22
  %210 = extractelement <4 x float> %183, i64 2, !dbg !22
  %211 = extractelement <4 x ptr> %191, i64 2, !dbg !22
  %212 = ptrtoint ptr %211 to i64, !dbg !22
  %213 = extractelement <4 x i1> %177, i64 2, !dbg !22
  %214 = sext i1 %213 to i64, !dbg !22
  %215 = xor i64 %212, %28, !dbg !22
  %216 = and i64 %215, %214, !dbg !22
  %217 = xor i64 %28, %216, !dbg !22
  %218 = inttoptr i64 %217 to ptr, !dbg !22
  store float %210, ptr %218, align 4, !dbg !22
  %219 = extractelement <4 x float> %183, i64 3, !dbg !22
  %220 = extractelement <4 x ptr> %191, i64 3, !dbg !22
  %221 = ptrtoint ptr %220 to i64, !dbg !22
  %222 = extractelement <4 x i1> %177, i64 3, !dbg !22
  %223 = sext i1 %222 to i64, !dbg !22
  %224 = xor i64 %221, %28, !dbg !22
  %225 = and i64 %224, %223, !dbg !22
  %226 = xor i64 %28, %225, !dbg !22
  %227 = inttoptr i64 %226 to ptr, !dbg !22
  store float %219, ptr %227, align 4, !dbg !22
  br label %stored, !dbg !22
}

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare <4 x float> @llvm.experimental.constrained.fmul.v4f32(<4 x float>, <4 x float>, metadata, metadata) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <4 x float> @llvm.x86.sse.cmp.ps(<4 x float>, <4 x float>, i8 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare <4 x float> @llvm.experimental.constrained.fadd.v4f32(<4 x float>, <4 x float>, metadata, metadata) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #3

attributes #0 = { nounwind strictfp "denormal-fp-math"="preserve-sign,preserve-sign" "prefer-vector-width"="256" "target-cpu"="x86-64-v2" }
attributes #1 = { nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nobuiltin strictfp }
attributes #5 = { strictfp }

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}

!0 = !{i32 2, !"Dwarf Version", i32 5}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "goldyc 0.1.0", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, nameTableKind: None)
!3 = !DIFile(filename: "/tmp/tl/g/debug.goldy", directory: "")
!4 = distinct !DISubprogram(name: "reverse", scope: !3, file: !3, line: 39, type: !5, scopeLine: 39, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2)
!5 = !DISubroutineType(types: !6)
!6 = !{null, !7, !7}
!7 = !DICompositeType(tag: DW_TAG_structure_type, name: "[f32]", scope: !3, file: !3, size: 128, elements: !8)
!8 = !{!9, !12}
!9 = !DIDerivedType(tag: DW_TAG_member, name: "data", scope: !3, file: !3, baseType: !10, size: 64)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64)
!11 = !DIBasicType(name: "f32", size: 32, encoding: DW_ATE_float)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "len", scope: !3, file: !3, baseType: !13, size: 32, offset: 64)
!13 = !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
!14 = !DILocation(line: 39, scope: !4)
!15 = !DILocation(line: 42, scope: !4)
!16 = !DILocation(line: 41, scope: !4)
!17 = !DILocation(line: 43, scope: !4)
!18 = !DILocation(line: 44, scope: !4)
!19 = !DILocation(line: 45, scope: !4)
!20 = !DILocation(line: 46, scope: !4)
!21 = !DILocation(line: 47, scope: !4)
!22 = !DILocation(line: 48, scope: !4)
