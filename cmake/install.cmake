# SPDX-License-Identifier: Apache-2.0
# cmake --install: libraries and headers, for pkg-config and for find_package(Rushlight); on the host also the program
# with its manual page and its completions. A core's libraries are installed in a prefix of their own.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(libraries rushlight_runtime rushlight_format rushlight_kernels)
foreach(library ${libraries})
    string(REPLACE rushlight_ "" name ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
# The API of CMSIS-NN has a folder of its own: its names do not start with ours.
set(cmsis_nn ${CMAKE_INSTALL_INCLUDEDIR}/rushlight/cmsis_nn)
target_include_directories(rushlight_kernels INTERFACE $<INSTALL_INTERFACE:${cmsis_nn}>)
install(TARGETS ${libraries} EXPORT RushlightTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/rushlight DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY kernels/cmsis_nn/include/ DESTINATION ${cmsis_nn})

# Both kinds of package find their files from where they lie themselves: the prefix may move.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Rushlight)
install(EXPORT RushlightTargets NAMESPACE Rushlight:: DESTINATION ${package})
configure_package_config_file(cmake/RushlightConfig.cmake.in RushlightConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(RushlightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/RushlightConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/RushlightConfigVersion.cmake
    DESTINATION ${package})
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(library runtime kernels)
    configure_file(cmake/rushlight-${library}.pc.in rushlight-${library}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rushlight-${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(RL_CORE STREQUAL "host")
    include(cmake/sources.cmake)
    install(TARGETS rushlight rushlight_shared)
    configure_file(cmake/rushlight.pc.in rushlight.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rushlight.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    install(FILES docs/rushlight.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    # Where each shell looks for those of packages.
    install(FILES cli/completion.bash RENAME rushlight DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES cli/completion.zsh RENAME _rushlight DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES cli/completion.fish RENAME rushlight.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
