import type { Texts } from '../../../translator.ts'

/** What help says below the options, line by line. */
export const HELP_ENDINGS: Texts = {
  'Exit code: 0 no problem (warnings are possible), 1 a problem, 2 wrong usage.':
    'Código de saída: 0 nenhum problema (pode haver avisos), 1 um problema, 2 uso errado.',
  'The code in parentheses behind a finding is for check.accepted in the configuration: accepted findings do not count.':
    'O código entre parênteses depois de um resultado serve para check.accepted na configuração: resultados aceitos não contam.',
  'Exit code: 0 the file is right, 1 it has mistakes, 2 wrong usage.':
    'Código de saída: 0 o arquivo está certo, 1 ele tem erros, 2 uso errado.',
  'Exit code: 0 the file is in use, 1 it is not and nothing was changed, 2 wrong usage or a mistake in the file, 3 everything is in use except what is named.':
    'Código de saída: 0 o arquivo está em uso, 1 não está e nada mudou, 2 uso errado ou um erro no arquivo, 3 tudo está em uso, menos o que é apontado.',
  'Exits with 1 if nothing is found. docs/search.md says what is found.':
    'O código de saída é 1 se nada for encontrado. docs/pt/search.md diz o que é encontrado.',
  'Under systemd stop the sockets too, or the next callback starts the gateway again:':
    'Sob o systemd, pare também os sockets; senão, o próximo callback inicia o gateway de novo:',
  'and afterwards start the sockets that you use, and the gateway:':
    'e depois inicie os sockets que você usa, e o gateway:',
  'Compare the clock first: date --utc': 'Compare antes o relógio: date --utc',
  'Missing events stay missing. Every poller gets 410 once, because events may be lost.':
    'Eventos que faltam continuam faltando. Cada aplicativo que consulta recebe 410 uma vez, porque eventos podem ter se perdido.',
  'Exit code: 0 nothing is refused, 1 the service or this machine refuses something.':
    'Código de saída: 0 nada é recusado, 1 o serviço ou esta máquina recusa algo.',
  'Exit code: 0 every question was answered, ids that the service does not know included; 1 a question failed.':
    'Código de saída: 0 todas as perguntas foram respondidas, inclusive sobre IDs que o serviço não conhece; 1 uma pergunta falhou.',
  'A wrong line is named with its number, and no line is taken: exit code 1.':
    'Uma linha errada é indicada com o seu número, e nenhuma linha é aceita: código de saída 1.',
  'bash  source <(portaria completion bash), in ~/.bashrc': 'bash  source <(portaria completion bash), em ~/.bashrc',
  'zsh   source <(portaria completion zsh), in ~/.zshrc behind compinit':
    'zsh   source <(portaria completion zsh), em ~/.zshrc depois de compinit',
  'More examples:': 'Mais exemplos:',
}
