import { Argument, Command } from 'commander'
import { action, print } from '../output.ts'
import { treeOf } from '../program/command-tree.ts'
import { SCRIPTS } from './scripts.ts'

type Shell = keyof typeof SCRIPTS

export function completionCommand(): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
bash  source <(portaria completion bash), in ~/.bashrc
zsh   source <(portaria completion zsh), in ~/.zshrc behind compinit
fish  portaria completion fish > ~/.config/fish/completions/portaria.fish`,
    )
    .action(action((shell: Shell, _options: object, command: Command) => print(SCRIPTS[shell](treeOf(command)))))
}
