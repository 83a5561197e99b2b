# cmake -DBUILD=… -DSOURCE=… -DWORK=… -DCC=… -DCXX=… -P run.cmake
# Installs BUILD to a fresh prefix, builds this project against it, runs its
# programs, sees that a changed kernel is compiled again and an unchanged one is
# not; then configures it once more with FetchContent.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE CODE OUTPUT_VARIABLE OUT ERROR_VARIABLE OUT)
  if(NOT CODE EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${OUT}")
  endif()
  set(OUT "${OUT}" PARENT_SCOPE)
endfunction()

set(HERE ${CMAKE_CURRENT_LIST_DIR})
file(REMOVE_RECURSE ${WORK})
file(COPY ${HERE}/ DESTINATION ${WORK}/project)
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/package -G Ninja
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
must(${CMAKE_COMMAND} --build ${WORK}/package)
must(${WORK}/package/uses_goldy)
must(${WORK}/package/from_file ${WORK}/package/files/scale.gdy)
must(${CMAKE_COMMAND} --build ${WORK}/package)
if(NOT OUT MATCHES "no work to do")
  message(FATAL_ERROR "nothing changed, but something was built:\n${OUT}")
endif()
file(APPEND ${WORK}/project/scale.goldy "// changed\n")
must(${CMAKE_COMMAND} --build ${WORK}/package)
if(NOT OUT MATCHES "Compiling [^\n]*scale.goldy")
  message(FATAL_ERROR "a kernel changed and was not compiled:\n${OUT}")
endif()
must(${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/source -G Ninja
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
  -DGOLDY_FROM=source -DGOLDY_SOURCE=${SOURCE})
