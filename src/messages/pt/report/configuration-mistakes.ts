import { COMMAND } from '../../../platform/installation.ts'
import type { Sentence } from './sentence.ts'

const NAME =
  'deve ter letras, dígitos, hifens, pontos e sublinhados, no máximo 63, e começar com uma letra ou um dígito'

/** What is wrong with a value of the configuration. */
export const CONFIGURATION_MISTAKES: readonly Sentence[] = [
  [
    'is the port of {name}, and {host} and {other} share an address: write another one',
    'é a porta de {name}, e {host} e {other} têm um endereço em comum: escreva outra',
  ],
  [
    'must be one e-mail address such as team@example.com, without a name',
    'deve ser um endereço de e-mail como team@example.com, sem nome',
  ],
  ['is empty: write an e-mail address', 'está vazio: escreva um endereço de e-mail'],
  ['must be at most 20', 'devem ser no máximo 20'],
  [
    'must be a time zone of the IANA list, such as America/Sao_Paulo',
    'deve ser um fuso horário da lista da IANA, como America/Sao_Paulo',
  ],
  ['is empty: write the path of a program', 'está vazio: escreva o caminho de um programa'],
  ['must be letters, digits, hyphens, dots and underscores, at most 63, and begin with a letter or a digit', NAME],
  ['is there beside webhook: remove one of them', 'está junto com webhook: remova um dos dois'],
  ['is there beside heartbeat: remove one of them', 'está junto com heartbeat: remova um dos dois'],
  [
    `must be at most {count}: create the others with \`${COMMAND} destinations create\``,
    `devem ser no máximo {count}: crie os outros com \`${COMMAND} destinations create\``,
  ],
  ['is empty: remove the key for every kind', 'está vazio: remova a chave para todos os tipos'],
  ['is empty: remove the key for every environment', 'está vazio: remova a chave para todos os ambientes'],
  ['is empty: remove the key for every institution', 'está vazio: remova a chave para todas as instituições'],
  ['must hold at least one step: `[0s]` tries once', 'deve ter pelo menos uma etapa: `[0s]` tenta uma vez'],
  ['must hold at most {count} steps', 'deve ter no máximo {count} etapas'],
  ['must be an address without brackets, such as ::1', 'deve ser um endereço sem colchetes, como ::1'],
  [
    'must be an address such as 127.0.0.1 or ::1, or a host name',
    'deve ser um endereço como 127.0.0.1 ou ::1, ou um nome de host',
  ],
  ['must start with "/", such as /callbacks/payment', 'deve começar com "/", como /callbacks/payment'],
  [
    'must be a path without "?", "#", spaces, control characters and letters outside ASCII (percent-encode those)',
    'deve ser um caminho sem "?", "#", espaços, caracteres de controle e letras fora do ASCII (codifique-as com %)',
  ],
  [
    'must be small letters, digits and hyphens, at most 32, and begin with a letter',
    'deve ter letras minúsculas, dígitos e hifens, no máximo 32, e começar com uma letra',
  ],
  [
    'is not a name for an institution: start with a small letter, then up to 31 small letters, digits and hyphens',
    'não é um nome de instituição: comece com uma letra minúscula, depois até 31 letras minúsculas, dígitos e hifens',
  ],
  [
    'must be an https address, such as https://service.example/chain.pem',
    'deve ser um endereço https, como https://service.example/chain.pem',
  ],
  ['must be get', 'deve ser get'],
  ['must be at most 8 headers', 'devem ser no máximo 8 cabeçalhos'],
  ['is empty: write the values, or leave the key out', 'está vazio: escreva os valores, ou retire a chave'],
  [
    'is empty, so every fact would be quarantined: write your accounts or keys',
    'está vazio, por isso todo fato iria para a quarentena: escreva as suas contas ou chaves',
  ],
  ['must begin with https://', 'deve começar com https://'],
  ['must have no query, no fragment and no credentials', 'não pode ter query, fragmento nem credenciais'],
  ['must be a scope of OAuth: without spaces and quotes', 'deve ser um escopo do OAuth: sem espaços e aspas'],
  ['must be the client id as the provider issued it', 'deve ser o ID de cliente que o provedor emitiu'],
  ['must have at least one scope', 'deve ter pelo menos um escopo'],
  ['must name an environment', 'deve informar um ambiente'],
  [
    'must have at least one role: without one every person is refused',
    'deve ter pelo menos uma função: sem ela todas as pessoas são recusadas',
  ],
  ['must be true or false', 'deve ser true ou false'],
  [
    'must be the client id as the service issued it: without spaces and colons',
    'deve ser o ID de cliente que o serviço emitiu: sem espaços e dois-pontos',
  ],
  ['must be at most 4096 characters', 'deve ter no máximo 4096 caracteres'],
]
