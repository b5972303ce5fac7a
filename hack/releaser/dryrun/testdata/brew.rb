# brew.rb FORMULA SYSTEM PROCESSOR ARCHIVE PREFIX: the part of Homebrew that the formula uses. It prints name, version and sum, and
# installs ARCHIVE under PREFIX as the formula says.
require "fileutils"

formula, $system, $processor, archive, $prefix = ARGV

# Folder is where a formula installs files to.
class Folder
  def initialize(path)
    @path = File.join($prefix, path)
    FileUtils.mkdir_p(@path)
  end

  def install(what)
    from, to = what.is_a?(Hash) ? what.first : [what, File.basename(what)]
    FileUtils.cp(from, File.join(@path, to))
  end

  def install_symlink(what)
    from, to = what.first
    File.symlink(from, File.join(@path, to))
  end

  def to_s = @path
end

class Formula
  class << self
    attr_reader :values

    %i[desc homepage version license url sha256].each do |field|
      define_method(field) { |value| (@values ||= {})[field] = value }
    end
    %i[macos linux].each { |system| define_method("on_#{system}") { |&block| block.call if $system == system.to_s } }
    %i[intel arm].each { |processor| define_method("on_#{processor}") { |&block| block.call if $processor == processor.to_s } }

    def test(&) = nil
  end

  def bin = Folder.new("bin")
  def bash_completion = Folder.new("etc/bash_completion.d")
  def fish_completion = Folder.new("share/fish/vendor_completions.d")
  def zsh_completion = Folder.new("share/zsh/site-functions")
end

load formula
values = MulticloudCcm.values
missing = %i[desc homepage version license url sha256] - values.keys
abort "the formula does not say #{missing.join(', ')}" unless missing.empty?
abort "the formula names #{values[:url]} for #{$system} on #{$processor}" unless File.basename(values[:url]) == File.basename(archive)

# Homebrew goes into the one folder of an archive.
work = File.join($prefix, "work")
FileUtils.mkdir_p(work)
system("tar", "-xzf", archive, "-C", work, exception: true)
Dir.chdir(Dir.glob(File.join(work, "*")).fetch(0)) { MulticloudCcm.new.install }
puts File.basename(formula, ".rb"), values[:version], values[:sha256]
