# The Homebrew formula, for a tap of the project: `brew install oryn-browser/tap/oryn`. `make release` fills in
# VERSION and SHA256 and puts it into dist/.
class Oryn < Formula
  include Language::Python::Virtualenv

  desc "Browser for AI agents: one short line in, what changed out"
  homepage "https://github.com/oryn-browser/oryn"
  url "https://github.com/oryn-browser/oryn/releases/download/vVERSION/oryn_browser-VERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    # Wheels of the dependencies, as pip takes them: some of the extras have no source that builds here.
    system "python3.13", "-m", "pip", "--python", libexec/"bin/python", "install", "#{buildpath}[daemon,mcp,encryption]"
    bin.install_symlink libexec/"bin/oryn"
    generate_completions_from_executable(bin/"oryn", "completion", shells: [:bash, :zsh, :fish])
  end

  def caveats
    <<~EOS
      Oryn drives a Chromium-family browser. If there is none: oryn install-browser
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/oryn version")
    assert_match "goto example.org", pipe_output("#{bin}/oryn parse", "goto example.org")
  end
end
