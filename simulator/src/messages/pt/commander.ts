import type { Texts } from '../translator.ts'

/** What commander says by itself. */
export const COMMANDER: Texts = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opções:',
  'Commands:': 'Comandos:',
  '[options]': '[opções]',
  '[command]': '[comando]',
  'choices: ': 'valores: ',
  'default: ': 'padrão: ',
  '(required)': '(obrigatório)',
  'display help for command': 'mostra a ajuda do comando',
  'output the version number': 'mostra o número da versão',
  '(--help lists commands and options)': '(--help lista os comandos e as opções)',
  "error: unknown command '{name}'": "erro: comando desconhecido: '{name}'",
  "error: unknown option '{name}'": "erro: opção desconhecida: '{name}'",
  '(Did you mean {name}?)': '(Você quis dizer {name}?)',
  '(Did you mean one of {names}?)': '(Você quis dizer um destes: {names}?)',
  "error: missing required argument '{name}'": "erro: falta o argumento obrigatório '{name}'",
  "error: option '{flags}' argument missing": "erro: falta o valor da opção '{flags}'",
  "error: required option '{flags}' not specified": "erro: falta a opção obrigatória '{flags}'",
  "error: option '{flags}' argument '{value}' is invalid. {reason}":
    "erro: o valor '{value}' da opção '{flags}' não é válido. {reason}",
  "error: command-argument value '{value}' is invalid for argument '{name}'. {reason}":
    "erro: o valor '{value}' do argumento '{name}' não é válido. {reason}",
  'error: too many arguments. Expected {expected} argument but got {count}: {values}.':
    'erro: argumentos demais: {values} (esperado: {expected}, recebidos: {count}).',
  'error: too many arguments. Expected {expected} arguments but got {count}: {values}.':
    'erro: argumentos demais: {values} (esperados: {expected}, recebidos: {count}).',
  "error: too many arguments for '{command}'. Expected {expected} argument but got {count}: {values}.":
    "erro: argumentos demais para '{command}': {values} (esperado: {expected}, recebidos: {count}).",
  "error: too many arguments for '{command}'. Expected {expected} arguments but got {count}: {values}.":
    "erro: argumentos demais para '{command}': {values} (esperados: {expected}, recebidos: {count}).",
  'Allowed choices are {choices}.': 'Valores aceitos: {choices}.',
}
