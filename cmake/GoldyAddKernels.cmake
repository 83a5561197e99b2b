# goldy_add_kernels(NAME
#   SOURCES a.goldy [b.goldy …]
#   [TARGETS host spirv ptx …]   what --target takes; default host
#   [HEADER]                     a C++ header a source, <stem>.hpp
#   [CHEADER]                    a C header a source, <stem>.h
#   [EMBED]                      the artifact as a C array, linked in
#   [INCLUDE dir …] [DEFINES N=V …] [OPTIONS …])
#
# Compiles each source to <stem>.gdy in the current binary folder (or
# OUTPUT_DIRECTORY), rebuilt when it or a file it reads changes. If NAME is a
# target of this folder the results are added to it; else NAME becomes a library
# to link. Either way goldyrt and the headers' folder come with it. The
# artifacts' paths are in the target property GOLDY_ARTIFACTS.
#
# Works alike from an installed Goldy (find_package), from its source tree, and
# after FetchContent.

function(_goldy_command OUTPUT SOURCE EMIT)
  add_custom_command(OUTPUT ${OUTPUT}
    COMMAND Goldy::goldyc ${SOURCE} --emit=${EMIT} -o ${OUTPUT} ${ARGN}
            -MD -MF ${OUTPUT}.d -MT ${OUTPUT}
    DEPENDS ${SOURCE} Goldy::goldyc
    DEPFILE ${OUTPUT}.d
    COMMENT "Compiling ${SOURCE} (${EMIT})"
    VERBATIM)
endfunction()

function(goldy_add_kernels NAME)
  cmake_parse_arguments(K "EMBED;HEADER;CHEADER" "OUTPUT_DIRECTORY"
    "SOURCES;TARGETS;INCLUDE;DEFINES;OPTIONS" ${ARGN})
  if(K_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "goldy_add_kernels(${NAME}): unexpected ${K_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT K_SOURCES)
    message(FATAL_ERROR "goldy_add_kernels(${NAME}): no SOURCES")
  endif()
  if(NOT TARGET Goldy::goldyc)
    message(FATAL_ERROR "goldy_add_kernels(${NAME}): this Goldy has no compiler (GOLDY_BUILD_COMPILER is off)")
  endif()
  if(K_EMBED AND NOT CMAKE_C_COMPILER)
    message(FATAL_ERROR "goldy_add_kernels(${NAME}): EMBED needs the language C: enable_language(C)")
  endif()
  if(NOT K_TARGETS)
    set(K_TARGETS host)
  endif()
  if(NOT K_OUTPUT_DIRECTORY)
    set(K_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/goldy)
  endif()
  file(MAKE_DIRECTORY ${K_OUTPUT_DIRECTORY})

  string(REPLACE ";" "," TARGET_LIST "${K_TARGETS}")
  set(FLAGS --target=${TARGET_LIST})
  foreach(DIR ${K_INCLUDE})
    get_filename_component(DIR ${DIR} ABSOLUTE)
    list(APPEND FLAGS -I ${DIR})
  endforeach()
  foreach(DEFINE ${K_DEFINES})
    list(APPEND FLAGS -D ${DEFINE})
  endforeach()
  list(APPEND FLAGS ${K_OPTIONS})

  set(ARTIFACTS)
  set(HEADERS)
  set(EMBEDDED)
  foreach(SOURCE ${K_SOURCES})
    get_filename_component(SOURCE ${SOURCE} ABSOLUTE)
    get_filename_component(STEM ${SOURCE} NAME_WLE)
    set(OUT ${K_OUTPUT_DIRECTORY}/${STEM})
    _goldy_command(${OUT}.gdy ${SOURCE} artifact ${FLAGS})
    list(APPEND ARTIFACTS ${OUT}.gdy)
    if(K_HEADER)
      _goldy_command(${OUT}.hpp ${SOURCE} header ${FLAGS})
      list(APPEND HEADERS ${OUT}.hpp)
    endif()
    if(K_CHEADER)
      _goldy_command(${OUT}.h ${SOURCE} cheader ${FLAGS})
      list(APPEND HEADERS ${OUT}.h)
    endif()
    if(K_EMBED)
      _goldy_command(${OUT}_gdy.c ${SOURCE} embed ${FLAGS})
      list(APPEND EMBEDDED ${OUT}_gdy.c)
    endif()
  endforeach()

  set(SCOPE PUBLIC)
  if(TARGET ${NAME})
    set(SCOPE PRIVATE)
    target_sources(${NAME} PRIVATE ${EMBEDDED} ${HEADERS} ${ARTIFACTS})
  elseif(K_EMBED)
    add_library(${NAME} STATIC ${EMBEDDED} ${HEADERS} ${ARTIFACTS})
  else()
    add_library(${NAME} INTERFACE)
    set(SCOPE INTERFACE)
    add_custom_target(${NAME}_artifacts ALL DEPENDS ${ARTIFACTS} ${HEADERS})
    add_dependencies(${NAME} ${NAME}_artifacts)
  endif()
  target_include_directories(${NAME} ${SCOPE} ${K_OUTPUT_DIRECTORY})
  target_link_libraries(${NAME} ${SCOPE} Goldy::goldyrt)
  set_property(TARGET ${NAME} APPEND PROPERTY GOLDY_ARTIFACTS ${ARTIFACTS})
endfunction()
