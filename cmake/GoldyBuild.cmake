# Build rules shared by all rooms: warnings, sanitizers, one library a room.

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers are cached only if told that their macros and times do not matter (they do not).
  set(LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LAUNCHER})
endif()

add_library(goldy_flags INTERFACE)
target_include_directories(goldy_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
target_compile_options(goldy_flags INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing)
if(GOLDY_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(GOLDY_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)

if(GOLDY_BUILD_COMPILER)
  find_package(fmt REQUIRED)
  find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
  find_package(SPIRV-Tools REQUIRED CONFIG)
  find_package(SPIRV-Tools-opt REQUIRED CONFIG)
  find_package(glslang REQUIRED CONFIG)
endif()

# goldy_add_room(NAME SOURCES a.cpp … LINK libs…): the library of one room.
function(goldy_add_room NAME)
  cmake_parse_arguments(R "" "" "SOURCES;LINK" ${ARGN})
  add_library(${NAME} STATIC ${R_SOURCES})
  target_link_libraries(${NAME} PUBLIC goldy_flags ${R_LINK})
endfunction()

# goldy_use_llvm(TARGET components…): LLVM headers and libraries for a room.
function(goldy_use_llvm TARGET)
  target_include_directories(${TARGET} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  separate_arguments(DEFS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${TARGET} PUBLIC ${DEFS})
  if(GOLDY_SHARED_LLVM)
    target_link_libraries(${TARGET} PUBLIC LLVM)
  else()
    llvm_map_components_to_libnames(LIBS ${ARGN})
    target_link_libraries(${TARGET} PUBLIC ${LIBS})
  endif()
endfunction()

# goldy_precompile_llvm(TARGET): for rooms whose every file builds LLVM IR; their files compile in half the time.
function(goldy_precompile_llvm TARGET)
  target_precompile_headers(${TARGET} PRIVATE
    <llvm/IR/IRBuilder.h> <llvm/IR/Intrinsics.h> <llvm/IR/IntrinsicsNVPTX.h> <llvm/IR/Module.h>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${TARGET} PRIVATE -Xclang -fno-pch-timestamp)
  endif()
endfunction()

# goldy_add_unittest(NAME SOURCES … LINK …): a Catch2 program, one CTest case.
function(goldy_add_unittest NAME)
  cmake_parse_arguments(R "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${R_SOURCES})
  target_link_libraries(${NAME} PRIVATE goldy_flags Catch2::Catch2 goldy_catch_main ${R_LINK})
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()
