/** The completion script of each shell. All three run the command itself, which prints one word a line. */
export const completionScripts = {
  bash: `_barewire() {
  local IFS=$'\\n'
  COMPREPLY=($(barewire completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _barewire barewire
`,
  zsh: `#compdef barewire
_barewire() {
  local -a found
  found=("\${(@f)$(barewire completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then compadd -a found; else _files; fi
}
if [[ \${funcstack[1]} == _barewire ]]; then _barewire "$@"; else compdef _barewire barewire; fi
`,
  fish: `function __barewire_words
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (barewire completion --words -- $words[2..] "$current" 2>/dev/null)
  if test -n "$found"
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c barewire -f -a '(__barewire_words)'
`,
} as const;
