import type { Texts } from '../../../translator.ts'
import { NETWORKS } from '../../forwarding.ts'

/** Mistakes of values, wherever they are given. */
export const VALUES_MESSAGES: Texts = {
  'must be a time such as "2026-11-22 10:00", 2026-11-22 or 2026-11-22T10:00:00-03:00':
    'deve ser uma hora como "2026-11-22 10:00", 2026-11-22 ou 2026-11-22T10:00:00-03:00',
  'is not in the calendar': 'não está no calendário',
  'does not exist in {zone}, where the clocks go forward by {change}: "{text}" would be "{time}"':
    'não existe em {zone}, onde os relógios são adiantados em {change}: "{text}" seria "{time}"',
  'occurs twice in {zone}, where the clocks go back: write {times}':
    'ocorre duas vezes em {zone}, onde os relógios são atrasados: escreva {times}',
  'has no unit: write for example "{one}" for seconds or "{other}" for milliseconds':
    'não tem unidade: escreva, por exemplo, "{one}" para segundos ou "{other}" para milissegundos',
  'has no unit: write for example "{one}" for bytes or "{other}" for 1024 bytes each':
    'não tem unidade: escreva, por exemplo, "{one}" para bytes ou "{other}" para 1024 bytes cada',
  'has no unit: write for example "{one}" or "{other}"': 'não tem unidade: escreva, por exemplo, "{one}" ou "{other}"',
  'must be a percentage such as 2%, or a size such as 64MiB':
    'deve ser uma porcentagem como 2%, ou um tamanho como 64MiB',
  'must be a number from 0 to 1, or a percentage such as 20%':
    'deve ser um número de 0 a 1, ou uma porcentagem como 20%',
  'must be at most {most}': 'deve ser no máximo {most}',
  'must be from {least} to {most}': 'deve ser de {least} a {most}',
  'did you mean {name}?': 'você quis dizer {name}?',
  'known here: {names}': 'aqui existem: {names}',
  'unknown key': 'chave desconhecida',
  'is empty': 'está vazio',
  'must be at most {most} characters': 'deve ter no máximo {most} caracteres',
  'must not be empty': 'não pode estar vazio',
  'must have at most {most} characters': 'pode ter no máximo {most} caracteres',
  'must not have control characters': 'não pode ter caracteres de controle',
  'is missing: {names} are reconciled': 'falta: são reconciliados {names}',
  '{kind} is not reconciled there; no kind is': '{kind} não é reconciliado ali; nenhum tipo é',
  '{kind} is not reconciled there; those that are: {names}': '{kind} não é reconciliado ali; os que são: {names}',
  'is only for charges': 'só vale para cobranças',
  'is only for {names}': 'só vale para {names}',
  'is not valid': 'não é válido',
  'must have notification_url or custom_id': 'deve ter notification_url ou custom_id',
  'give either a position or a time': 'informe uma posição ou uma hora, não as duas',
  'must be letters, digits, dots and hyphens, at most 63, and begin with a letter or a digit':
    'deve ter letras, dígitos, pontos e hifens, no máximo 63, e começar com uma letra ou um dígito',
  'must be letters, digits, dots, hyphens and underscores, at most 63, and begin with a letter or a digit':
    'deve ter letras, dígitos, pontos, hifens e sublinhados, no máximo 63, e começar com uma letra ou um dígito',
  'the name of a consumer {problem}': 'o nome de um consumidor {problem}',
  'must be a name of up to 63 letters, digits, dots and hyphens that starts with a letter or a digit':
    'deve ser um nome com até 63 letras, dígitos, pontos e hifens que começa com uma letra ou um dígito',
  'is not the name of an HTTP header: use letters, digits and hyphens, at most 128':
    'não é o nome de um cabeçalho HTTP: use letras, dígitos e hifens, no máximo 128',
  'is set by the gateway itself: remove it': 'é definido pelo próprio gateway: remova-o',
  'must be ASCII text without line breaks, and without spaces at its ends':
    'deve ser texto ASCII sem quebras de linha, e sem espaços nas pontas',
  'is empty, so that no event would match: leave subjects out for every event':
    'está vazio, e assim nenhum evento corresponderia: retire subjects para receber todos os eventos',
  'must be at most {most} exact subjects': 'pode ter no máximo {most} assuntos exatos',
  'must be at most {most} prefixes': 'pode ter no máximo {most} prefixos',
  'a header is there twice: names do not tell small and capital letters apart':
    'um cabeçalho aparece duas vezes: os nomes não distinguem maiúsculas de minúsculas',
  'must be at most {most} characters of PEM': 'deve ter no máximo {most} caracteres de PEM',
  'is binary, not PEM; of a .p12 or .pfx, take the CA certificates with "openssl pkcs12 -in FILE -cacerts -nokeys -out FILE.pem" ("{command} certs import" installs a certificate with its key)':
    'é binário, não PEM; de um .p12 ou .pfx, extraia os certificados de AC com "openssl pkcs12 -in ARQUIVO -cacerts -nokeys -out ARQUIVO.pem" ("{command} certs import" instala um certificado com a sua chave)',
  'must hold CA certificates in PEM form, each of them whole: convert another form with "openssl x509 -in FILE -out FILE.pem", PKCS#7 with "openssl pkcs7 -print_certs -in FILE -out FILE.pem"':
    'deve conter certificados de AC em PEM, cada um completo: converta outro formato com "openssl x509 -in ARQUIVO -out ARQUIVO.pem", e PKCS#7 com "openssl pkcs7 -print_certs -in ARQUIVO -out ARQUIVO.pem"',
  'certificate {number} has no line breaks: put its first and its last line on lines of their own':
    'o certificado {number} não tem quebras de linha: coloque a primeira e a última linha dele em linhas próprias',
  'certificate {number} is damaged: export it again': 'o certificado {number} está danificado: exporte-o de novo',
  "certificate {number} is not a CA certificate: name the authority that issued the destination's certificate":
    'o certificado {number} não é um certificado de AC: informe a autoridade que emitiu o certificado do destino',
  'it has {count} values, and the header {expected}': 'tem {count} valores, e o cabeçalho {expected}',
  'environment "{environment}" is neither production nor sandbox':
    'environment "{environment}" não é production nem sandbox',
  'type "{type}" is none of {names}': 'type "{type}" não é um destes: {names}',
  'subject has a quote that is not closed': 'subject tem aspas que não fecham',
  'line {number}': 'linha {number}',
  'does not exist: check the path': 'não existe: verifique o caminho',
  'may not be read by this user: {advice}': 'não pode ser lido por este usuário: {advice}',
  'is a folder: name a file': 'é uma pasta: informe um arquivo',
  'is a folder: name a PEM file': 'é uma pasta: informe um arquivo PEM',
  'is longer than 1 MiB, so it is no file of certificates: name another one':
    'tem mais de 1 MiB, e por isso não é um arquivo de certificados: informe outro',
  'cannot be read ({error})': 'não pode ser lido ({error})',
  'does not exist: put the file there, or correct the path in the configuration':
    'não existe: coloque o arquivo ali, ou corrija o caminho na configuração',
  'is a PKCS#7 file: convert it with "{command}" and use that':
    'é um arquivo PKCS#7: converta-o com "{command}" e use o resultado',
  'is a PKCS#12 file (.p12 or .pfx): name PEM files in the configuration, which "{command}" then writes':
    'é um arquivo PKCS#12 (.p12 ou .pfx): informe na configuração arquivos PEM, que "{command}" então grava',
  'is a PKCS#12 file: name it as the certificate, with the ending .p12 or .pfx, and remove privateKey':
    'é um arquivo PKCS#12: informe-o como certificado, com a terminação .p12 ou .pfx, e remova privateKey',
  'contains no {wanted}, but a {found}: name the file of the key':
    'não contém {wanted}, e sim {found}: informe o arquivo da chave',
  'contains no {wanted}, but a {found}: put the issued certificate in its place':
    'não contém {wanted}, e sim {found}: coloque o certificado emitido no lugar',
  'contains no {wanted}: it must hold PEM blocks that start with "{start}"':
    'não contém {wanted}: deve ter blocos PEM que começam com "{start}"',
  'may have no parameter but host: TLS follows from the address and from storage.authorities':
    'não pode ter outro parâmetro além de host: o TLS decorre do endereço e de storage.authorities',
  'has a "%" that is no percent-encoding: write %25': 'tem um "%" que não é uma codificação com %: escreva %25',
  'without a header': 'sem cabeçalho',
  'of another day than {day}': 'de outro dia que não {day}',
  'without a trailer': 'sem rodapé',
  'with a record that cannot be read': 'com um registro que não pode ser lido',
  'whose trailer contradicts its records': 'cujo rodapé contradiz os registros',
  'until {words}': 'until {words}',
  'whsec_ and the base64 of 24 to 64 bytes': 'whsec_ e o base64 de 24 a 64 bytes',
  'leave it out to have one made': 'retire-o para que um seja criado',
  'must name one host: an address that leads to the primary, also after a failover, as docs/several-nodes.md says':
    'deve indicar um só host: um endereço que leva ao servidor primário, também depois de uma troca, como diz docs/pt/several-nodes.md',
  'must not hold a password, because logs and lists of processes would show it: write it to a file, and name that in storage.passwordFile':
    'não pode conter uma senha, porque logs e listas de processos a mostrariam: grave-a em um arquivo, e informe-o em storage.passwordFile',
  'must name either a host or the folder of a socket: postgres://USER@/DATABASE?host=/FOLDER':
    'deve indicar um host ou a pasta de um socket: postgres://USER@/DATABASE?host=/PASTA',
  'must begin with http:// or https:// and have more behind it':
    'deve começar com http:// ou https:// e continuar depois disso',

  ...NETWORKS,
  '{form} form of {address}, private network': 'forma {form} de {address}, rede privada',
  '{form} form of {address}, cloud metadata': 'forma {form} de {address}, metadados de nuvem',
}
