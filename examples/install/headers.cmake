# The targets of the header alone, for the installed package and for add_subdirectory.

# COMPONENTS: opencl looks for OpenCL and makes combgpu::opencl.
function(combgpu_headers INCLUDE_DIR COMPONENTS)
  if(NOT TARGET combgpu::header)
    add_library(combgpu::header INTERFACE IMPORTED GLOBAL)
    target_include_directories(combgpu::header INTERFACE "${INCLUDE_DIR}")
    add_library(combgpu::cuda INTERFACE IMPORTED GLOBAL)
    target_link_libraries(combgpu::cuda INTERFACE combgpu::header)
    target_compile_definitions(combgpu::cuda INTERFACE COMBGPU_CUDA)
  endif()
  if("opencl" IN_LIST COMPONENTS AND NOT TARGET combgpu::opencl)
    find_package(OpenCL QUIET)
    if(OpenCL_FOUND)
      # the target OpenCL::OpenCL would be known in this folder only
      add_library(combgpu::opencl INTERFACE IMPORTED GLOBAL)
      target_link_libraries(combgpu::opencl INTERFACE combgpu::header "${OpenCL_LIBRARIES}")
      target_include_directories(combgpu::opencl INTERFACE "${OpenCL_INCLUDE_DIRS}")
      target_compile_definitions(combgpu::opencl INTERFACE COMBGPU_OPENCL)
    endif()
  endif()
endfunction()
