import { COMMAND } from '../../../platform/installation.ts'
import type { Sentence } from './sentence.ts'

/** What is wrong with a part of a file: with the file itself, or with one of its blocks. */
const OF_A_PART: readonly Sentence[] = [
  ['is a ZIP archive', 'é um arquivo ZIP'],
  ['is a public key of SSH', 'é uma chave pública de SSH'],
  ['is a web page and no certificate', 'é uma página da web e não um certificado'],
  ['has no END line', 'não tem a linha END'],
  ['has an END line without a BEGIN line', 'tem uma linha END sem a linha BEGIN'],
  ['has different names on its BEGIN and END lines', 'tem nomes diferentes nas linhas BEGIN e END'],
  [
    'has a mistyped first or last line (five hyphens, capital letters, ordinary spaces)',
    'tem a primeira ou a última linha errada (cinco hifens, letras maiúsculas, espaços comuns)',
  ],
  ['has bytes behind its certificate', 'tem bytes depois do certificado'],
  ['is not a certificate, or was cut off', 'não é um certificado ou foi cortado'],
]

/** Why certificates, keys, chains and revocation lists cannot be used. */
export const CERTIFICATE_PROBLEMS: readonly Sentence[] = [
  ['block {n}', 'o bloco {n}'],
  ...OF_A_PART.map(([english, own]): Sentence => [`{part} ${english}`, `{part} ${own}`]),
  ['unpack it, and use the file inside', 'descompacte-o e use o arquivo de dentro'],
  ['download the file itself', 'baixe o próprio arquivo'],
  ['name the private key', 'informe a chave privada'],
  [
    `{file} is a PKCS#12 file (.p12 or .pfx): name PEM files in the configuration, which "${COMMAND} certs import {arguments}" then writes`,
    `{file} é um arquivo PKCS#12 (.p12 ou .pfx): informe arquivos PEM na configuração, que "${COMMAND} certs import {arguments}" então grava`,
  ],
  [
    '{file} is a PKCS#12 file: name it as the certificate, with the ending .p12 or .pfx, and remove privateKey',
    '{file} é um arquivo PKCS#12: informe-o como o certificado, com a terminação .p12 ou .pfx, e remova privateKey',
  ],
  [
    '{file} is empty: put the certificates there, in PEM form',
    '{file} está vazio: coloque nele os certificados, em PEM',
  ],
  [
    '{file} contains no {wanted}: it must hold PEM blocks that start with "{label}"',
    '{file} não contém {wanted}: deve ter blocos PEM que começam com "{label}"',
  ],
  [
    '{file} holds neither a certificate nor a key: it must be PEM text with lines such as "{label}", or a .p12 or .pfx file',
    '{file} não contém certificado nem chave: deve ser texto PEM com linhas como "{label}", ou um arquivo .p12 ou .pfx',
  ],
  [
    '{key} is not the key of {file}: install the key that the certificate request was made with, or get a new certificate for this key',
    '{key} não é a chave de {file}: instale a chave com que o pedido do certificado foi feito, ou obtenha um novo certificado para esta chave',
  ],
  [
    '{file}: the server certificate must come first, but certificate {n} of the file is the one that belongs to {key}: put the certificates in order (server certificate, then its issuers)',
    '{file}: o certificado do servidor deve vir primeiro, mas é o certificado {n} do arquivo que pertence a {key}: coloque os certificados em ordem (o do servidor, depois os emissores)',
  ],
  [
    '{file}: certificate {n} ({name}) did not issue the one before it ({before}): put the certificate of {issuer} there, so that each is followed by its issuer, and remove all that do not belong to the chain',
    '{file}: o certificado {n} ({name}) não emitiu o anterior ({before}): coloque ali o certificado de {issuer}, para que cada um seja seguido do emissor, e remova os que não são da cadeia',
  ],
  [
    '{file} has a key of a type ({type}) that TLS clients refuse: get a certificate with an EC P-256 or RSA key of at least 2048 bits',
    '{file} tem uma chave de um tipo ({type}) que clientes TLS recusam: obtenha um certificado com chave EC P-256 ou RSA de pelo menos 2048 bits',
  ],
  [
    '{name} expired on {time}; callers will refuse it: install a current certificate',
    '{name} venceu em {time}; os chamadores o recusarão: instale um certificado atual',
  ],
  [
    '{name} is not valid before {time}; callers will refuse it: install a current certificate',
    '{name} não é válido antes de {time}; os chamadores o recusarão: instale um certificado atual',
  ],
  [
    "{name} expired on {time}; callers that it vouches for are refused: install the service's current chain",
    '{name} venceu em {time}; os chamadores que ele garante são recusados: instale a cadeia atual do serviço',
  ],
  [
    "{name} is not valid before {time}; callers that it vouches for are refused: install the service's current chain",
    '{name} não é válido antes de {time}; os chamadores que ele garante são recusados: instale a cadeia atual do serviço',
  ],
  [
    '{name} expired on {time}: clients that it vouches for are refused',
    '{name} venceu em {time}: os clientes que ele garante são recusados',
  ],
  [
    '{name} is not valid before {time}: clients that it vouches for are refused',
    '{name} não é válido antes de {time}: os clientes que ele garante são recusados',
  ],
  [
    "{name} is not a CA certificate: put the authority there that issued your clients' certificates",
    '{name} não é um certificado de AC: coloque ali a autoridade que emitiu os certificados dos seus clientes',
  ],
  [
    'the issuer {issuer} of {name} is missing: add its certificate, and so on up to the root',
    'falta o emissor {issuer} de {name}: inclua o certificado dele, e assim até a raiz',
  ],
  [
    '{chain} ({key}) holds no chain: put one there, as a PEM file whose name ends in .pem',
    '{chain} ({key}) não contém cadeia: coloque ali uma, como arquivo PEM com nome terminado em .pem',
  ],
  [
    '{name} is not a CA certificate (CA:TRUE is missing), so it can issue no caller: remove it from the file and put the chain that issued it there',
    '{name} não é um certificado de AC (falta CA:TRUE), por isso não pode emitir chamadores: remova-o do arquivo e coloque ali a cadeia que o emitiu',
  ],
  [
    '{name} does not lead to a self-signed root of the same file: add the certificate of its issuer {issuer}, and so on up to the root',
    '{name} não leva a uma raiz autoassinada do mesmo arquivo: inclua o certificado do emissor {issuer}, e assim até a raiz',
  ],
  [
    "{file} holds several roots and no certificate that they issued, so none counts: add the service's issuing certificates, or give each root a file of its own",
    '{file} contém várias raízes e nenhum certificado emitido por elas, por isso nenhuma conta: inclua os certificados emissores do serviço, ou dê a cada raiz um arquivo próprio',
  ],
  [
    "the root {name} issued no certificate of the file, so it counts for no caller: put it into a file of its own if the service's callers come directly from it, else remove it",
    'a raiz {name} não emitiu nenhum certificado do arquivo, por isso não conta para nenhum chamador: coloque-a em um arquivo próprio se os chamadores do serviço vêm diretamente dela, senão remova-a',
  ],
  [
    "{name} issues callers in {one} and in {two}, so the environment of a caller would be ambiguous: keep it in the file of one environment under {key}, or tell its callers apart by one list of allow that has no value in common with the other's",
    '{name} emite chamadores em {one} e em {two}, por isso o ambiente de um chamador seria ambíguo: mantenha-o no arquivo de um só ambiente em {key}, ou distinga os chamadores por uma lista de allow sem nenhum valor em comum com a outra',
  ],
  [
    "{name} issues callers in {one} and in {two}, so the institution of a caller would be ambiguous: keep it in the file of one institution, or tell its callers apart by one list of allow that has no value in common with the other's",
    '{name} emite chamadores em {one} e em {two}, por isso a instituição de um chamador seria ambígua: mantenha-o no arquivo de uma só instituição, ou distinga os chamadores por uma lista de allow sem nenhum valor em comum com a outra',
  ],
  [
    '{file} ({key}) contains no revocation list: it must be DER, or PEM that starts with "{label}"',
    '{file} ({key}) não contém lista de revogação: deve ser DER, ou PEM que começa com "{label}"',
  ],
  ['the revocation list of "{issuer}" {words}', 'a lista de revogação de "{issuer}" {words}'],
  ['install the current one', 'instale a atual'],
  [
    'callers of its authority are refused ({key}: refuse)',
    'os chamadores da autoridade dela são recusados ({key}: refuse)',
  ],
  ['what was revoked since is not known here', 'o que foi revogado desde então não é conhecido aqui'],
  ['the database cannot be used: {words}', 'o banco de dados não pode ser usado: {words}'],
  ['database disk image is malformed', 'o arquivo do banco de dados está danificado'],
]
