	.text
	.file	"mandel"
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI0_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.LCPI0_6:
	.long	48
	.long	49
	.long	50
	.long	51
	.long	52
	.long	53
	.long	54
	.long	55
	.long	56
	.long	57
	.long	58
	.long	59
	.long	60
	.long	61
	.long	62
	.long	63
.LCPI0_7:
	.long	32
	.long	33
	.long	34
	.long	35
	.long	36
	.long	37
	.long	38
	.long	39
	.long	40
	.long	41
	.long	42
	.long	43
	.long	44
	.long	45
	.long	46
	.long	47
.LCPI0_8:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI0_1:
	.long	0x40400000
.LCPI0_2:
	.long	0xc0000000
.LCPI0_3:
	.long	0xbfc00000
.LCPI0_4:
	.long	0x40800000
.LCPI0_5:
	.long	0x40000000
	.section	.rodata.cst16,"aM",@progbits,16
.LCPI0_9:
	.byte	48
	.byte	49
	.byte	50
	.byte	51
	.byte	52
	.byte	53
	.byte	54
	.byte	55
	.byte	56
	.byte	57
	.byte	58
	.byte	59
	.byte	60
	.byte	61
	.byte	62
	.byte	63
.LCPI0_10:
	.byte	32
	.byte	33
	.byte	34
	.byte	35
	.byte	36
	.byte	37
	.byte	38
	.byte	39
	.byte	40
	.byte	41
	.byte	42
	.byte	43
	.byte	44
	.byte	45
	.byte	46
	.byte	47
.LCPI0_11:
	.byte	16
	.byte	17
	.byte	18
	.byte	19
	.byte	20
	.byte	21
	.byte	22
	.byte	23
	.byte	24
	.byte	25
	.byte	26
	.byte	27
	.byte	28
	.byte	29
	.byte	30
	.byte	31
.LCPI0_12:
	.byte	0
	.byte	1
	.byte	2
	.byte	3
	.byte	4
	.byte	5
	.byte	6
	.byte	7
	.byte	8
	.byte	9
	.byte	10
	.byte	11
	.byte	12
	.byte	13
	.byte	14
	.byte	15
	.text
	.globl	mandel
	.p2align	4, 0x90
	.type	mandel,@function
mandel:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$320, %rsp
	movq	16(%rsi), %rcx
	movq	24(%rsi), %r15
	movq	%r15, %r8
	subq	%rcx, %r8
	jbe	.LBB0_21
	movq	(%rdi), %r9
	movl	8(%rdi), %eax
	movl	%eax, 36(%rsp)
	movl	16(%rdi), %r11d
	movl	20(%rdi), %ebx
	movl	24(%rdi), %r10d
	movl	(%rsi), %eax
	movl	4(%rsi), %edx
	movq	%rdx, 40(%rsp)
	movq	%rax, 48(%rsp)
	cmpq	%rax, %rcx
	jae	.LBB0_3
	xorl	%edx, %edx
	jmp	.LBB0_9
.LBB0_3:
	movq	%rcx, %rax
	shrq	$32, %rax
	je	.LBB0_4
	movq	%rcx, %rax
	xorl	%edx, %edx
	divq	48(%rsp)
	movq	%rdx, %rcx
	jmp	.LBB0_6
.LBB0_4:
	movl	%ecx, %eax
	xorl	%edx, %edx
	divl	48(%rsp)
	movl	%edx, %ecx
.LBB0_6:
	movq	%rax, %rdx
	shrq	$32, %rdx
	je	.LBB0_7
	xorl	%edx, %edx
	divq	40(%rsp)
	jmp	.LBB0_9
.LBB0_7:
	xorl	%edx, %edx
	divl	40(%rsp)
.LBB0_9:
	xorl	%r12d, %r12d
	movl	$0, %eax
	movq	%rax, 56(%rsp)
	cmpq	$4, %r8
	jb	.LBB0_11
	movq	48(%rsp), %rdi
	leal	-1(%rdi), %eax
	leal	-1(%r15), %esi
	cmpq	%rdi, %r15
	cmoval	%eax, %esi
	movq	40(%rsp), %rax
	leal	-1(%rax), %eax
	cmovbel	%r12d, %eax
	cmpl	$1, %ebx
	movl	%ebx, %edi
	adcl	$-1, %edi
	cmpl	%eax, %edi
	cmovael	%eax, %edi
	movl	%edi, %eax
	imull	%r11d, %eax
	imulq	%r11, %rdi
	shrq	$32, %rdi
	negq	%rdi
	movl	$0, %edi
	sbbl	%edi, %edi
	orl	%eax, %edi
	cmpl	$2, %r11d
	movl	$1, %eax
	cmovael	%r11d, %eax
	decl	%eax
	movl	%esi, %r14d
	shll	$6, %r14d
	cmpl	$67108864, %esi
	movl	$-1, %esi
	cmovael	%esi, %r14d
	addl	$63, %r14d
	cmovbl	%esi, %r14d
	cmpl	%r14d, %eax
	cmovbl	%eax, %r14d
	addl	%edi, %r14d
	cmovbl	%esi, %r14d
	cmpl	36(%rsp), %r14d
	setb	%al
	movq	%rax, 56(%rsp)
.LBB0_11:
	cmpl	$1, %ebx
	movl	%ebx, %r15d
	adcl	$-1, %r15d
	cmpl	$2, %r11d
	movl	$1, %r12d
	cmovael	%r11d, %r12d
	decl	%r12d
	vpbroadcastd	%r11d, %zmm0
	vpbroadcastd	%r10d, %zmm1
	movl	36(%rsp), %eax
	vpbroadcastd	%eax, %zmm5
	vpmovsxbd	.LCPI0_9(%rip), %zmm6
	vpmovsxbd	.LCPI0_10(%rip), %zmm7
	vpmovsxbd	.LCPI0_11(%rip), %zmm8
	vpmovsxbd	.LCPI0_12(%rip), %zmm9
	vbroadcastss	.LCPI0_1(%rip), %zmm10
	vbroadcastss	.LCPI0_2(%rip), %zmm14
	vmovss	.LCPI0_1(%rip), %xmm20
	vmovss	.LCPI0_3(%rip), %xmm21
	vbroadcastss	.LCPI0_4(%rip), %zmm11
	vbroadcastss	.LCPI0_5(%rip), %zmm12
	vpternlogd	$255, %zmm13, %zmm13, %zmm13
	vmovdqa64	%zmm5, 128(%rsp)
	jmp	.LBB0_12
	.p2align	5, 0x90
.LBB0_19:
	movl	%edx, %eax
	imull	%r11d, %eax
	addl	%r10d, %eax
	vmovdqu64	%zmm23, 192(%r9,%rax,4)
	vmovdqu64	%zmm22, 128(%r9,%rax,4)
	vmovdqu64	%zmm20, 64(%r9,%rax,4)
	vmovdqu64	%zmm16, (%r9,%rax,4)
	vmovdqa64	128(%rsp), %zmm5
	vpmovsxbd	.LCPI0_9(%rip), %zmm6
	vpmovsxbd	.LCPI0_10(%rip), %zmm7
	vpmovsxbd	.LCPI0_11(%rip), %zmm8
	vpmovsxbd	.LCPI0_12(%rip), %zmm9
	vbroadcastss	.LCPI0_1(%rip), %zmm10
	vbroadcastss	.LCPI0_2(%rip), %zmm14
	vmovss	.LCPI0_1(%rip), %xmm20
	vmovss	.LCPI0_3(%rip), %xmm21
.LBB0_20:
	incl	%ecx
	xorl	%eax, %eax
	cmpl	48(%rsp), %ecx
	sete	%al
	movl	$0, %esi
	cmovel	%esi, %ecx
	addl	%eax, %edx
	cmpl	40(%rsp), %edx
	cmovel	%esi, %edx
	decq	%r8
	je	.LBB0_21
.LBB0_12:
	cmpb	$0, 56(%rsp)
	jne	.LBB0_14
	cmpl	%edx, %r15d
	movl	%edx, %eax
	cmovbl	%r15d, %eax
	movl	%eax, %esi
	imull	%r11d, %esi
	imulq	%r11, %rax
	shrq	$32, %rax
	negq	%rax
	movl	$0, %eax
	sbbl	%eax, %eax
	orl	%esi, %eax
	movl	%ecx, %r10d
	shll	$6, %r10d
	cmpl	$67108864, %ecx
	movl	$-1, %esi
	cmovbl	%r10d, %esi
	addl	$63, %esi
	movl	$-1, %edi
	cmovbl	%edi, %esi
	cmpl	%esi, %r12d
	cmovbl	%r12d, %esi
	addl	%eax, %esi
	cmovbl	%edi, %esi
	cmpl	36(%rsp), %esi
	jae	.LBB0_33
.LBB0_14:
	movl	%ecx, %r10d
	shll	$6, %r10d
	cmpl	%ebx, %edx
	vpbroadcastd	%ecx, %zmm2
	vpslld	$6, %zmm2, %zmm2
	vpord	%zmm6, %zmm2, %zmm4
	vpord	%zmm7, %zmm2, %zmm15
	vpord	%zmm8, %zmm2, %zmm3
	vpord	%zmm9, %zmm2, %zmm2
	vpcmpltud	%zmm0, %zmm2, %k0
	vpcmpltud	%zmm0, %zmm3, %k1
	kunpckwd	%k0, %k1, %k0
	vpcmpltud	%zmm0, %zmm15, %k1
	vpcmpltud	%zmm0, %zmm4, %k2
	kunpckwd	%k1, %k2, %k1
	kunpckdq	%k0, %k1, %k1
	movl	$0, %eax
	sbbq	%rax, %rax
	kmovq	%rax, %k2
	kandq	%k2, %k1, %k1
	kandd	%k2, %k0, %k0
	kshiftrq	$32, %k1, %k1
	kandd	%k1, %k0, %k2
	kshiftrd	$16, %k2, %k3
	kandw	%k3, %k2, %k2
	kortestw	%k2, %k2
	jb	.LBB0_15
	kord	%k1, %k0, %k0
	kshiftrd	$16, %k0, %k1
	kortestw	%k1, %k0
	je	.LBB0_20
	xorl	%r13d, %r13d
	cmpl	%ebx, %edx
	movl	$0, %eax
	sbbl	%eax, %eax
	kmovd	%eax, %k1
	movl	%edx, %esi
	imull	%r11d, %esi
	jmp	.LBB0_24
	.p2align	5, 0x90
.LBB0_29:
	addl	%esi, %edi
	movl	%edi, %eax
	cmpl	$-16, %edi
	ja	.LBB0_30
.LBB0_31:
	vmovdqu32	%zmm15, (%r9,%rax,4) {%k2}
.LBB0_32:
	incl	%r13d
	cmpl	$4, %r13d
	jae	.LBB0_20
.LBB0_24:
	movl	%r13d, %edi
	shll	$4, %edi
	addl	%r10d, %edi
	vpbroadcastd	%edi, %zmm2
	vpaddd	%zmm9, %zmm2, %zmm2
	vpcmpltud	%zmm0, %zmm2, %k2 {%k1}
	kortestw	%k2, %k2
	je	.LBB0_32
	vcvtudq2ps	%zmm2, %zmm2
	vmulps	%zmm10, %zmm2, %zmm2
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%r11d, %xmm28, %xmm3
	vbroadcastss	%xmm3, %zmm3
	vdivps	%zmm3, %zmm2, %zmm2
	vaddps	%zmm14, %zmm2, %zmm16
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%edx, %xmm28, %xmm2
	vmulss	%xmm20, %xmm2, %xmm2
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%ebx, %xmm28, %xmm3
	vdivss	%xmm3, %xmm2, %xmm2
	vaddss	%xmm21, %xmm2, %xmm2
	vbroadcastss	%xmm2, %zmm17
	vxorps	%xmm18, %xmm18, %xmm18
	vpxor	%xmm15, %xmm15, %xmm15
	kmovq	%k2, %k3
	vxorps	%xmm19, %xmm19, %xmm19
	jmp	.LBB0_26
	.p2align	5, 0x90
.LBB0_27:
	kxorw	%k0, %k0, %k3
	kortestw	%k3, %k3
	je	.LBB0_29
.LBB0_26:
	vmulps	%zmm19, %zmm19, %zmm2
	vmulps	%zmm18, %zmm18, %zmm3
	vaddps	%zmm3, %zmm2, %zmm4
	vcmplt_oqps	%zmm11, %zmm4, %k4
	vpcmpgtd	%zmm15, %zmm1, %k0 {%k4}
	kandw	%k0, %k3, %k3
	kortestw	%k3, %k3
	je	.LBB0_27
	vsubps	%zmm3, %zmm2, %zmm2
	vmulps	%zmm12, %zmm19, %zmm3
	vaddps	%zmm16, %zmm2, %zmm19
	vmulps	%zmm18, %zmm3, %zmm2
	vaddps	%zmm17, %zmm2, %zmm18
	vpsubd	%zmm13, %zmm15, %zmm15 {%k3}
	kortestw	%k3, %k3
	jne	.LBB0_26
	jmp	.LBB0_29
.LBB0_30:
	movslq	%edi, %r14
	movq	%r14, 64(%rsp)
	negl	%edi
	vpbroadcastd	%edi, %zmm2
	vpmovsxbd	.LCPI0_12(%rip), %zmm3
	vpcmpltud	%zmm2, %zmm3, %k3 {%k2}
	vmovdqu32	%zmm15, (%r9,%rax,4) {%k3}
	vpcmpnltud	%zmm2, %zmm3, %k2 {%k2}
	movq	64(%rsp), %rax
	jmp	.LBB0_31
	.p2align	5, 0x90
.LBB0_15:
	vcvtudq2ps	%zmm4, %zmm4
	vcvtudq2ps	%zmm2, %zmm2
	vcvtudq2ps	%zmm3, %zmm3
	vmulps	%zmm10, %zmm3, %zmm3
	vmulps	%zmm10, %zmm2, %zmm2
	vmulps	%zmm10, %zmm4, %zmm4
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%r11d, %xmm28, %xmm5
	vbroadcastss	%xmm5, %zmm5
	vdivps	%zmm5, %zmm4, %zmm4
	vdivps	%zmm5, %zmm2, %zmm2
	vdivps	%zmm5, %zmm3, %zmm3
	vcvtudq2ps	%zmm15, %zmm7
	vmulps	%zmm10, %zmm7, %zmm7
	vdivps	%zmm5, %zmm7, %zmm5
	vaddps	%zmm5, %zmm14, %zmm5
	vmovaps	%zmm5, 64(%rsp)
	vaddps	%zmm3, %zmm14, %zmm3
	vmovaps	%zmm3, 192(%rsp)
	vaddps	%zmm2, %zmm14, %zmm18
	vaddps	%zmm4, %zmm14, %zmm19
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%edx, %xmm28, %xmm2
	vmulss	%xmm20, %xmm2, %xmm2
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%ebx, %xmm28, %xmm3
	vdivss	%xmm3, %xmm2, %xmm2
	vaddss	%xmm21, %xmm2, %xmm2
	vbroadcastss	%xmm2, %zmm21
	vpxord	%xmm16, %xmm16, %xmm16
	kxnorq	%k0, %k0, %k1
	vxorps	%xmm20, %xmm20, %xmm20
	vpxord	%xmm22, %xmm22, %xmm22
	vpxord	%xmm23, %xmm23, %xmm23
	vxorps	%xmm24, %xmm24, %xmm24
	vxorps	%xmm25, %xmm25, %xmm25
	vxorps	%xmm26, %xmm26, %xmm26
	vxorps	%xmm27, %xmm27, %xmm27
	vxorps	%xmm28, %xmm28, %xmm28
	vxorps	%xmm29, %xmm29, %xmm29
	vxorps	%xmm30, %xmm30, %xmm30
	vxorps	%xmm31, %xmm31, %xmm31
	jmp	.LBB0_16
	.p2align	5, 0x90
.LBB0_17:
	kxorq	%k0, %k0, %k1
.LBB0_18:
	kshiftrq	$32, %k1, %k0
	kord	%k0, %k1, %k0
	kshiftrd	$16, %k0, %k2
	kortestw	%k2, %k0
	je	.LBB0_19
.LBB0_16:
	vpcmpgtd	%zmm16, %zmm1, %k0
	vpcmpgtd	%zmm20, %zmm1, %k2
	kunpckwd	%k0, %k2, %k0
	vpcmpgtd	%zmm22, %zmm1, %k2
	vpcmpgtd	%zmm23, %zmm1, %k3
	kunpckwd	%k2, %k3, %k2
	kunpckdq	%k0, %k2, %k0
	kandq	%k0, %k1, %k0
	vmulps	%zmm28, %zmm28, %zmm14
	vmulps	%zmm29, %zmm29, %zmm3
	vmulps	%zmm30, %zmm30, %zmm4
	vmulps	%zmm31, %zmm31, %zmm2
	vmulps	%zmm24, %zmm24, %zmm5
	vmulps	%zmm25, %zmm25, %zmm9
	vmulps	%zmm26, %zmm26, %zmm10
	vmulps	%zmm27, %zmm27, %zmm7
	vaddps	%zmm7, %zmm2, %zmm8
	vaddps	%zmm10, %zmm4, %zmm6
	vaddps	%zmm9, %zmm3, %zmm15
	vaddps	%zmm5, %zmm14, %zmm17
	vcmplt_oqps	%zmm11, %zmm17, %k1
	vcmplt_oqps	%zmm11, %zmm15, %k2
	kunpckwd	%k1, %k2, %k1
	vcmplt_oqps	%zmm11, %zmm6, %k2
	vcmplt_oqps	%zmm11, %zmm8, %k3
	kunpckwd	%k2, %k3, %k2
	kunpckdq	%k1, %k2, %k1
	kandq	%k1, %k0, %k1
	kshiftrq	$32, %k1, %k2
	kord	%k2, %k1, %k0
	kshiftrd	$16, %k0, %k3
	kortestw	%k3, %k0
	je	.LBB0_17
	vsubps	%zmm7, %zmm2, %zmm2
	vsubps	%zmm10, %zmm4, %zmm4
	vsubps	%zmm9, %zmm3, %zmm3
	vsubps	%zmm5, %zmm14, %zmm5
	vmulps	%zmm12, %zmm28, %zmm6
	vaddps	%zmm18, %zmm5, %zmm28
	vmulps	%zmm12, %zmm29, %zmm5
	vaddps	192(%rsp), %zmm3, %zmm29
	vmulps	%zmm12, %zmm30, %zmm3
	vaddps	64(%rsp), %zmm4, %zmm30
	vmulps	%zmm12, %zmm31, %zmm4
	vaddps	%zmm19, %zmm2, %zmm31
	vmulps	%zmm27, %zmm4, %zmm2
	vmulps	%zmm26, %zmm3, %zmm3
	vmulps	%zmm25, %zmm5, %zmm4
	vmulps	%zmm24, %zmm6, %zmm5
	vaddps	%zmm21, %zmm5, %zmm24
	vaddps	%zmm21, %zmm4, %zmm25
	vaddps	%zmm21, %zmm3, %zmm26
	vaddps	%zmm21, %zmm2, %zmm27
	vpsubd	%zmm13, %zmm16, %zmm16 {%k1}
	vpsubd	%zmm13, %zmm22, %zmm22 {%k2}
	kshiftrd	$16, %k1, %k3
	vpsubd	%zmm13, %zmm20, %zmm20 {%k3}
	kshiftrd	$16, %k2, %k2
	vpsubd	%zmm13, %zmm23, %zmm23 {%k2}
	jmp	.LBB0_18
	.p2align	5, 0x90
.LBB0_33:
	xorl	%edi, %edi
	cmpl	%ebx, %edx
	movl	$0, %eax
	sbbl	%eax, %eax
	kmovd	%eax, %k1
	movl	%r11d, %esi
	imull	%edx, %esi
	jmp	.LBB0_34
	.p2align	5, 0x90
.LBB0_39:
	addl	%esi, %r13d
	vpbroadcastd	%r13d, %zmm2
	vpaddd	%zmm9, %zmm2, %zmm2
	vpcmpltud	%zmm5, %zmm2, %k2 {%k2}
	movl	%r13d, %eax
	cmpl	$-16, %r13d
	ja	.LBB0_40
.LBB0_41:
	vmovdqu32	%zmm15, (%r9,%rax,4) {%k2}
.LBB0_42:
	incl	%edi
	cmpl	$4, %edi
	jae	.LBB0_20
.LBB0_34:
	movl	%edi, %r13d
	shll	$4, %r13d
	addl	%r10d, %r13d
	vpbroadcastd	%r13d, %zmm2
	vpaddd	%zmm9, %zmm2, %zmm2
	vpcmpltud	%zmm0, %zmm2, %k2 {%k1}
	kortestw	%k2, %k2
	je	.LBB0_42
	vcvtudq2ps	%zmm2, %zmm2
	vmulps	%zmm10, %zmm2, %zmm2
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%r11d, %xmm28, %xmm3
	vbroadcastss	%xmm3, %zmm3
	vdivps	%zmm3, %zmm2, %zmm2
	vaddps	%zmm14, %zmm2, %zmm16
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%edx, %xmm28, %xmm2
	vmulss	%xmm20, %xmm2, %xmm2
	vpxord	%xmm28, %xmm28, %xmm28
	vcvtusi2ss	%ebx, %xmm28, %xmm3
	vdivss	%xmm3, %xmm2, %xmm2
	vaddss	%xmm21, %xmm2, %xmm2
	vbroadcastss	%xmm2, %zmm17
	vxorps	%xmm18, %xmm18, %xmm18
	vpxor	%xmm15, %xmm15, %xmm15
	kmovq	%k2, %k3
	vxorps	%xmm19, %xmm19, %xmm19
	jmp	.LBB0_36
	.p2align	5, 0x90
.LBB0_37:
	kxorw	%k0, %k0, %k3
	kortestw	%k3, %k3
	je	.LBB0_39
.LBB0_36:
	vmulps	%zmm19, %zmm19, %zmm2
	vmulps	%zmm18, %zmm18, %zmm3
	vaddps	%zmm3, %zmm2, %zmm4
	vcmplt_oqps	%zmm11, %zmm4, %k4
	vpcmpgtd	%zmm15, %zmm1, %k0 {%k4}
	kandw	%k0, %k3, %k3
	kortestw	%k3, %k3
	je	.LBB0_37
	vsubps	%zmm3, %zmm2, %zmm2
	vmulps	%zmm12, %zmm19, %zmm3
	vaddps	%zmm16, %zmm2, %zmm19
	vmulps	%zmm18, %zmm3, %zmm2
	vaddps	%zmm17, %zmm2, %zmm18
	vpsubd	%zmm13, %zmm15, %zmm15 {%k3}
	kortestw	%k3, %k3
	jne	.LBB0_36
	jmp	.LBB0_39
.LBB0_40:
	movslq	%r13d, %r14
	movq	%r14, 64(%rsp)
	negl	%r13d
	vpbroadcastd	%r13d, %zmm2
	vpmovsxbd	.LCPI0_12(%rip), %zmm3
	vpcmpltud	%zmm2, %zmm3, %k3 {%k2}
	vmovdqu32	%zmm15, (%r9,%rax,4) {%k3}
	vpcmpnltud	%zmm2, %zmm3, %k2 {%k2}
	movq	64(%rsp), %rax
	jmp	.LBB0_41
.LBB0_21:
	xorl	%eax, %eax
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lfunc_end0:
	.size	mandel, .Lfunc_end0-mandel

	.section	".note.GNU-stack","",@progbits
