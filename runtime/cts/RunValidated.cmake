# cmake -DSUITE=program -P RunValidated.cmake: runs a conformance suite under the
# Khronos validation layer with synchronisation validation; any message fails.
# Without the layer there is nothing to run, unless GOLDY_REQUIRE_VULKAN is set.
set(LAYER VK_LAYER_KHRONOS_validation)
set(ENV{VK_INSTANCE_LAYERS} ${LAYER})
set(ENV{VK_LAYER_ENABLES} VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT)
set(ENV{VK_LOADER_DEBUG} layer)
execute_process(COMMAND ${SUITE} RESULT_VARIABLE CODE OUTPUT_VARIABLE OUT ERROR_VARIABLE LOG)
if(NOT LOG MATCHES "Insert instance layer \"${LAYER}\"")
  if(DEFINED ENV{GOLDY_REQUIRE_VULKAN})
    message(FATAL_ERROR "${LAYER} was not loaded")
  endif()
  message("skipped: ${LAYER} was not loaded")
  return()
endif()
if(NOT CODE EQUAL 0 OR "${OUT}${LOG}" MATCHES "Validation (Error|Warning|Performance)|VUID-|SYNC-HAZARD")
  message(FATAL_ERROR "${OUT}\n${LOG}")
endif()
