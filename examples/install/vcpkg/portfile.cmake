# The header alone: one file of the program defines COMBGPU_IMPLEMENTATION.
vcpkg_download_distfile(archive URLS "@URL@" FILENAME "combgpu-@VERSION@.tar.gz" SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

file(INSTALL "${SOURCE_PATH}/combgpu.h" "${SOURCE_PATH}/combgpu_cl.c" "${SOURCE_PATH}/combgpu_cuda.cu"
  "${SOURCE_PATH}/combgpu_kernels.cl" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
set(VCPKG_BUILD_TYPE release)
