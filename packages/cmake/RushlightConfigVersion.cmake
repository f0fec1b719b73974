# SPDX-License-Identifier: Apache-2.0
# Before version 1.0 each minor version may change the interface: only the one that is asked for will do.
set(PACKAGE_VERSION @version@)
string(REGEX MATCH "^[0-9]+[.][0-9]+" have ${PACKAGE_VERSION})
string(REGEX MATCH "^[0-9]+[.][0-9]+" want ${PACKAGE_FIND_VERSION}.0)
if(have STREQUAL want AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
