# What `cmake --install` puts where, and the same target names in the build
# tree as after find_package(Goldy). Included last: all targets exist.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/GoldyAddKernels.cmake)

add_library(Goldy::goldyrt ALIAS goldyrt)
set(GOLDY_TOOLS)
foreach(TOOL goldyc goldyrun goldy-interp)
  if(TARGET ${TOOL})
    add_executable(Goldy::${TOOL} ALIAS ${TOOL})
    list(APPEND GOLDY_TOOLS ${TOOL})
  endif()
endforeach()

set(GOLDY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Goldy)
install(TARGETS goldyrt goldy_artifact_json goldy_program ${GOLDY_TOOLS} EXPORT GoldyTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${Goldy_SOURCE_DIR}/runtime/include/goldy
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${Goldy_SOURCE_DIR}/LICENSE.TXT DESTINATION ${CMAKE_INSTALL_DATADIR}/goldy)
install(EXPORT GoldyTargets NAMESPACE Goldy:: DESTINATION ${GOLDY_CMAKE_DIR})

configure_package_config_file(${Goldy_SOURCE_DIR}/cmake/GoldyConfig.cmake.in
  ${Goldy_BINARY_DIR}/GoldyConfig.cmake INSTALL_DESTINATION ${GOLDY_CMAKE_DIR})
write_basic_package_version_file(${Goldy_BINARY_DIR}/GoldyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${Goldy_BINARY_DIR}/GoldyConfig.cmake
  ${Goldy_BINARY_DIR}/GoldyConfigVersion.cmake
  ${Goldy_SOURCE_DIR}/cmake/GoldyAddKernels.cmake
  DESTINATION ${GOLDY_CMAKE_DIR})
