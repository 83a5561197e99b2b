//===- Options.td - The command line of goldyc ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every option with its help text. `Later` marks options whose feature is not
// there yet: they are known, so that they are refused by name.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def Later : OptionGroup<"later">;

// --name=VALUE and --name VALUE.
multiclass Valued<string name, string metavar, string help> {
  def _EQ : Joined<["--"], name#"=">, MetaVarName<metavar>, HelpText<help>;
  def "" : Separate<["--"], name>, Alias<!cast<Joined>(NAME#"_EQ")>;
}
class LaterFlag<list<string> prefixes, string name>
  : Flag<prefixes, name>, Group<Later>;
class LaterValue<string name> : Joined<["--"], name>, Group<Later>;

// --- Targets and kinds --------------------------------------------------------
defm target : Valued<"target", "T[,T…]", "host, x86-64-v1 … v4, native, vulkan1.3 (spirv), vulkan1.1, ptx, ptx-sm_90a, all (default: host,spirv,ptx)">;
defm emit : Valued<"emit", "KIND[,KIND…]", "artifact (default), lanes, slang, slang-entry, spirv, spirv-asm, ptx, llvm-ir, asm, obj, header, cheader, embed, meta, ast, ir, report (HTML), report-json, program-text, deps">;
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">, HelpText<"write the one output to FILE (- is standard output)">;
defm out_dir : Valued<"out-dir", "DIR", "write outputs into DIR">;
defm kernel : Valued<"kernel", "NAME", "compile only this kernel (may be repeated)">;
defm program : Valued<"program", "NAME", "only this program, with the kernels that it dispatches (may be repeated)">;
def check : Flag<["--"], "check">, HelpText<"report errors and warnings, write nothing">;

// --- Constants -----------------------------------------------------------------
def D : JoinedOrSeparate<["-"], "D">, MetaVarName<"NAME=VALUE">, HelpText<"give a constant another value">;

defm spec : Valued<"spec", "NAME=VALUE", "give a specialisation constant another value">;
defm bake : Valued<"bake", "KERNEL:PARAM=VALUE", "fold a scalar parameter's value into a kernel">;

// --- Search --------------------------------------------------------------------
def I : JoinedOrSeparate<["-"], "I">, MetaVarName<"DIR">, HelpText<"look for files of modules in DIR, after the directory of the file that names them">;

// --- Depfiles ------------------------------------------------------------------
def M : Flag<["-"], "M">, HelpText<"print a make rule instead of compiling">;
def MD : Flag<["-"], "MD">, HelpText<"write a make rule beside the output">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"FILE">, HelpText<"file of the make rule">;
def MT : JoinedOrSeparate<["-"], "MT">, MetaVarName<"TARGET">, HelpText<"target of the make rule (may be repeated)">;
def MP : Flag<["-"], "MP">, HelpText<"add an empty rule for each file read">;

// --- Passes --------------------------------------------------------------------
def O : Joined<["-"], "O">, MetaVarName<"0..3">, HelpText<"optimisation level (default 2)">;
defm bounds : Valued<"bounds", "checked|unchecked", "out-of-range accesses are defined, or promised away">;
defm fp : Valued<"fp", "strict|fast", "float meaning: the language's own, or whatever is fastest">;
defm coarsen : Valued<"coarsen", "auto|1|2|4|8", "work-items that a thread of a GPU does, in kernels whose work-items do not meet (default auto: by a rule of cost)">;
defm sanitize : Valued<"sanitize", "KIND[,KIND…]", "host code that goldyrun watches: bounds, race, uninit; or all">;
defm device_map : Valued<"device-map", "A,B[,…]", "spread the steps of programs that name no devices over devices of these names">;
defm via : Valued<"via", "own|slang", "SPIR-V and PTX from goldyc's code generators, or through Slang's compiler">;
defm fuse : Valued<"fuse", "auto|off|report", "neighbouring dispatches of programs become one (default auto from -O1); report also says which and why others do not">;

// --- Diagnostics ---------------------------------------------------------------
def W : Joined<["-"], "W">, MetaVarName<"[no-]NAME">, HelpText<"-Wall, -WNAME, -Wno-NAME, -Werror[=NAME]">;
def R : Joined<["-"], "R">, MetaVarName<"NAME">, HelpText<"say what was done and why not: -Rfuse, -Rspecialise, -Rvectorise[=TOPIC,…] (summary, loop, branch, access, mask, atomic, context, rows, version)">;
def w : Flag<["-"], "w">, HelpText<"no warnings">;
defm error_limit : Valued<"error-limit", "N", "stop after N errors (default 20, 0: no limit)">;
defm diagnostics_format : Valued<"diagnostics-format", "text|json|sarif", "form of messages">;
defm color : Valued<"color", "auto|always|never", "colours in messages">;
defm explain : Valued<"explain", "G0123", "explain a code">;
def verify_diagnostics : Flag<["--"], "verify-diagnostics">, HelpText<"compare messages with the `//~ G0123: text` comments of the input">;

// --- Debugging -----------------------------------------------------------------
def g : Flag<["-"], "g">, HelpText<"debug information of host code: lines, and a copy of each kernel for `goldyrun --debug-item`">;
defm remap_path_prefix : Valued<"remap-path-prefix", "FROM=TO", "write names of files in debug information with TO for the prefix FROM (may be repeated, the last that fits counts)">;

// --- Inspection ----------------------------------------------------------------
defm print : Valued<"print", "WHAT", "targets, passes, pipeline, warnings, ops, limits or slang">;
defm print_before : Valued<"print-before", "PASS", "print the IR before a pass (all: every one)">;
defm print_after : Valued<"print-after", "PASS", "print the IR after a pass (all: every one)">;
def print_changed : Flag<["--"], "print-changed">, HelpText<"print the IR after each pass that changed it">;
defm stop_after : Valued<"stop-after", "PHASE", "stop after a phase and print its result: parse, lower, verify or a pass">;
def verify_each : Flag<["--"], "verify-each">, HelpText<"check the IR after every pass">;
defm fuel : Valued<"fuel", "N", "at most N rewrites a kernel and target">;
def save_temps : Flag<["--"], "save-temps">, HelpText<"keep intermediate texts beside the outputs">;
def save_temps_EQ : Joined<["--"], "save-temps=">, MetaVarName<"DIR">, HelpText<"keep intermediate texts in DIR">;
defm dump_dir : Valued<"dump-dir", "DIR", "write the IR after every pass into DIR">;
def time_passes : Flag<["--"], "time-passes">, HelpText<"print the time of every stage">;
def time_passes_EQ : Joined<["--"], "time-passes=">, MetaVarName<"json">, HelpText<"the same as JSON">;

// --- Others --------------------------------------------------------------------
def j : JoinedOrSeparate<["-"], "j">, MetaVarName<"N">, HelpText<"threads (default: all)">;
def validate : Flag<["--"], "validate">, HelpText<"run spirv-val and ptxas, where present, on what was made">;
def version : Flag<["--"], "version">, HelpText<"print the version">;
def version_EQ : Joined<["--"], "version=">, MetaVarName<"json">, HelpText<"the same as JSON">;
def help : Flag<["--"], "help">, HelpText<"print this text">;
def h : Flag<["-"], "h">, Alias<help>;
def DASH_DASH : Option<["--"], "", KIND_REMAINING_ARGS>;

// --- Known, not there yet --------------------------------------------------------
def no_int_guards : LaterFlag<["--"], "no-int-guards">;
def time_trace : LaterValue<"time-trace">;
def reproducer : LaterValue<"reproducer">;
def cache_dir : LaterValue<"cache-dir">;
def cache_clean : LaterFlag<["--"], "cache-clean">;
def no_cache : LaterFlag<["--"], "no-cache">;
