class Combgpu < Formula
  desc "Exact combinatorial search on CPU and OpenCL"
  homepage "@URL@"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  # the command and the header, which programs implement in one of their files
  def install
    system ENV.cc, "-O3", "-DCOMBGPU_OPENCL", "-Iexamples/install/opencl", "examples/combgpu.c", "-o", "combgpu"
    bin.install "combgpu"
    include.install "combgpu.h", "combgpu_cl.c", "combgpu_cuda.cu", "combgpu_kernels.cl"
    (man1/"combgpu.1").write Utils.safe_popen_read(bin/"combgpu", "--man")
    (bash_completion/"combgpu").write Utils.safe_popen_read(bin/"combgpu", "--completion", "bash")
  end

  test do
    assert_match '"count": 7040', shell_output("#{bin}/combgpu magic --order 4 --json")
  end
end
