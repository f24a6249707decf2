import type { Texts } from '../../../translator.ts'

/** Mistakes of the configuration file, behind the name of the key. */
export const CONFIGURATION_MESSAGES: Texts = {
  'the running gateway has the configuration {file} (SHA-256 {own}), not {other} (SHA-256 {sha256}): nothing was changed. Name its file with --config, or restart it with the other one':
    'o gateway em execução tem a configuração {file} (SHA-256 {own}), não {other} (SHA-256 {sha256}): nada foi alterado. Informe o arquivo dele com --config, ou reinicie-o com o outro',
  'the configuration file {file} has {count} mistakes: config/portaria.yaml explains every key':
    'o arquivo de configuração {file} tem {count} erros: config/portaria.yaml explica cada chave',
  'the configuration file {file} has one mistake: config/portaria.yaml explains every key':
    'o arquivo de configuração {file} tem um erro: config/portaria.yaml explica cada chave',
  '{key} (line {line})': '{key} (linha {line})',
  'the whole file': 'o arquivo inteiro',
  'is missing': 'falta',
  'is missing: write {expected}': 'falta: escreva {expected}',
  'has no value: write {expected}, or remove the key': 'não tem valor: escreva {expected}, ou remova a chave',
  'has no value: write one, or remove the key': 'não tem valor: escreva um, ou remova a chave',
  'must be a list: write its entries in [ ], or one a line, each behind "- "':
    'deve ser uma lista: escreva as entradas entre [ ], ou uma por linha, cada uma depois de "- "',
  'must be a group of keys, each with a value': 'deve ser um grupo de chaves, cada uma com um valor',
  'must be text (in quotes where YAML reads it otherwise): {expected}':
    'deve ser texto (entre aspas onde o YAML o leria de outra forma): {expected}',
  'must be text: put it in quotes': 'deve ser texto: escreva-o entre aspas',
  'is empty: write {expected}': 'está vazio: escreva {expected}',
  'must be {words}': 'deve ser {words}',
  'must be one of {names}': 'deve ser um destes: {names}',
  'must be one of {names}; did you mean "{name}"?': 'deve ser um destes: {names}; você quis dizer "{name}"?',
  'must be a whole number from {least} to {most}': 'deve ser um número inteiro de {least} a {most}',
  'must be a whole number from {least} to {most}, or unlimited':
    'deve ser um número inteiro de {least} a {most}, ou unlimited',
  'must be a size from 1MiB, or a percentage up to 50%':
    'deve ser um tamanho a partir de 1MiB, ou uma porcentagem até 50%',
  'must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without':
    'deve ser o SHA-256 de um certificado: 64 dígitos hexadecimais, com ou sem dois-pontos',
  'must be the serial number of a certificate: hexadecimal digits in quotes, with colons or without':
    'deve ser o número de série de um certificado: dígitos hexadecimais entre aspas, com ou sem dois-pontos',
  'must be an address such as {example}': 'deve ser um endereço como {example}',
  'must begin with {start}, such as {example}': 'deve começar com {start}, como {example}',
  'must be only the beginning of an address, such as {example}, without a query, a fragment and credentials':
    'deve ser só o começo de um endereço, como {example}, sem query, fragmento nem credenciais',
  'must be a JSON Pointer (RFC 6901), such as /status/atual': 'deve ser um JSON Pointer (RFC 6901), como /status/atual',
  'must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual':
    'deve ser um JSON Pointer (RFC 6901): comece-o com "/", como /status/atual',
  'must be a JSON Pointer (RFC 6901): write "~" as "~0" and a "/" inside a name as "~1"':
    'deve ser um JSON Pointer (RFC 6901): escreva "~" como "~0" e uma "/" dentro de um nome como "~1"',
  'must be a time of day in quotes, such as "22:00"': 'deve ser uma hora do dia entre aspas, como "22:00"',
  'must be an https address, such as https://hooks.example.com/services/T0/B0/secret':
    'deve ser um endereço https, como https://hooks.example.com/services/T0/B0/secret',
  'must have no user and no password in front of its host': 'não pode ter usuário nem senha antes do host',
  'must begin with the whole path of a program, such as /usr/local/bin/alarm; arguments are further items':
    'deve começar com o caminho completo de um programa, como /usr/local/bin/alarm; os argumentos são outros itens',
  'is there beside {key}: remove one of them': 'está junto com {key}: remova um dos dois',
  'must have exactly one of email, webhook and command': 'deve ter exatamente um entre email, webhook e command',
  'is for a channel with {way}: remove it': 'vale para um canal com {way}: remova-o',
  'is missing: a channel with {way} needs it': 'falta: um canal com {way} precisa dele',
  'must end with ?chat_id= and the id of the chat: https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID':
    'deve terminar com ?chat_id= e o ID do chat: https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID',
  'is missing: a user needs a password': 'falta: um usuário precisa de uma senha',
  'is missing: the password needs its user': 'falta: a senha precisa do seu usuário',
  'is the name of a channel above': 'já é o nome de um canal acima',
  'must differ from `from`': 'deve ser diferente de `from`',
  'needs the kind "charge": add `charge: { path: /callbacks/charge }` to callbacks.kinds':
    'precisa do tipo "charge": inclua `charge: { path: /callbacks/charge }` em callbacks.kinds',
  'needs the kind "charge": add `charge: { path: /callbacks/charge }` to the kinds of the institution {name}':
    'precisa do tipo "charge": inclua `charge: { path: /callbacks/charge }` em kinds da instituição {name}',
  'holds the same token as an entry above: make another with `openssl rand -hex 32`':
    'contém o mesmo token que uma entrada acima: crie outro com `openssl rand -hex 32`',
  'is not a kind of {where}': 'não é um tipo de {where}',
  'is not a kind of the institution {name}': 'não é um tipo da instituição {name}',
  'has a path with a variable segment, behind which no token can be: it needs mutual TLS':
    'tem um caminho com um segmento variável, depois do qual não pode haver token: precisa de TLS mútuo',
  'must not be shorter than payload: the data of an event cannot outlive the event':
    'não pode ser menor que payload: os dados de um evento não podem durar mais que o evento',
  'cannot have its own window: probes are kept with the kind of their path':
    'não pode ter prazo próprio: os testes são guardados com o tipo do seu caminho',
  'must not be longer than the shortest window of storage.retention, {shortest}: a repetition of a removed callback cannot be recognized':
    'não pode ser maior que o menor prazo de storage.retention, {shortest}: a repetição de um callback removido não pode ser reconhecida',
  'must not be less than callbacks.limits.body': 'não pode ser menor que callbacks.limits.body',
  'is the name of a destination above: choose another name': 'já é o nome de um destino acima: escolha outro nome',
  'is the environment of an entry above: write one entry for each environment':
    'já é o ambiente de uma entrada acima: escreva uma entrada para cada ambiente',
  'is the name of an institution above: write one entry for each':
    'já é o nome de uma instituição acima: escreva uma entrada para cada uma',
  'is not an institution of institutions': 'não é uma instituição de institutions',
  '{problem}: give each its own path': '{problem}: dê a cada um o seu caminho',
  'must be the name of a header that begins with x-: letters, digits and hyphens, at most 64':
    'deve ser o nome de um cabeçalho que começa com x-: letras, dígitos e hifens, no máximo 64',
  'must be text of printable ASCII, at most 1,024 characters, in quotes':
    'deve ser texto ASCII visível, com no máximo 1.024 caracteres, entre aspas',
  'must be 200 or 202': 'deve ser 200 ou 202',
  'must be off, or the members to leave out: { exclude: [/senha] }':
    'deve ser off, ou os membros a excluir: { exclude: [/senha] }',
  'is empty: write where a fact names its account': 'está vazio: escreva onde um fato indica a sua conta',
  'is not a name for a kind: start with a small letter, then up to 31 letters, digits and hyphens':
    'não é um nome de tipo: comece com uma letra minúscula, seguida de até 31 letras, dígitos e hifens',
  "is reserved for the gateway's own events: choose another name":
    'está reservado para os eventos do próprio gateway: escolha outro nome',
  'must have openid: without it the provider says nothing of the person':
    'deve ter openid: sem ele o provedor não diz nada sobre a pessoa',
  'must be both, or left out: operations.read and operations.write open both environments':
    'deve ter os dois ambientes, ou ser retirado: operations.read e operations.write valem nos dois',
  'must be the path of a file': 'deve ser o caminho de um arquivo',
  'must be the path of a file, without typographic quotes and invisible characters':
    'deve ser o caminho de um arquivo, sem aspas tipográficas e caracteres invisíveis',
  'must be the path of a file, not its content: write that to a file and name it here':
    'deve ser o caminho de um arquivo, não o conteúdo: grave o conteúdo em um arquivo e informe-o aqui',
  'must name a credential of the unit, such as credential:secrets_operator-token':
    'deve indicar uma credencial da unit, como credential:secrets_operator-token',
  'is the kind of another key above: each kind has one meaning':
    'já é o tipo de outra chave acima: cada tipo tem um só significado',
  'needs baseAddresses.{on}, where it is asked for': 'precisa de baseAddresses.{on}, onde ele é consultado',
  'is for openings: name their kind in reconcile.openings, and set baseAddresses.registration':
    'vale para aberturas de conta: informe o tipo delas em reconcile.openings, e defina baseAddresses.registration',
  'must be sqlite: and the path of the database file, such as sqlite:../data/portaria.db; or {form}':
    'deve ser sqlite: e o caminho do arquivo do banco de dados, como sqlite:../data/portaria.db; ou {form}',
  '{code} cannot be accepted: remove its cause': '{code} não pode ser aceito: remova a causa',
  'is no code of a finding of portaria check; did you mean "{code}"?':
    'não é o código de um resultado de portaria check; você quis dizer "{code}"?',
  'is no code of a finding of portaria check; docs/codes.md lists them':
    'não é o código de um resultado de portaria check; docs/pt/codes.md os lista',
  'its file must hold {form}': 'o seu arquivo deve conter {form}',
  'its file must hold the client secret that {issuer} issued, in one line without spaces':
    'o seu arquivo deve conter o segredo do cliente emitido por {issuer}, em uma linha sem espaços',
  'its file must hold the password, and is empty': 'o seu arquivo deve conter a senha, e está vazio',
  'its file must hold one token that cannot be guessed, at least 128 bits: create one with `openssl rand -hex 32`':
    'o seu arquivo deve conter um token que não possa ser adivinhado, com pelo menos 128 bits: crie um com `openssl rand -hex 32`',
  'its file {words}': 'o seu arquivo {words}',
  'does not name a file: it {problem}': 'não indica um arquivo: {problem}',
  'names a file that is too long: it must hold nothing but what this key needs':
    'indica um arquivo longo demais: ele só pode conter o que esta chave precisa',
  'names a file that cannot be read: {reason}': 'indica um arquivo que não pode ser lido: {reason}',
  'names a file that cannot be read: {reason} (relative paths begin at {folder})':
    'indica um arquivo que não pode ser lido: {reason} (caminhos relativos começam em {folder})',
  'it does not exist: create it or correct the path': 'não existe: crie-o ou corrija o caminho',
  'this user may not read it: {advice}': 'este usuário não pode lê-lo: {advice}',
  'names a credential that is not loaded: {reason}': 'indica uma credencial que não está carregada: {reason}',
  'contradicts secret: keep one of them': 'contradiz secret: mantenha um dos dois',
  'is empty, so that no event would match: remove the key for every event':
    'está vazio, e assim nenhum evento corresponderia: remova a chave para receber todos os eventos',
  'must be at most {most} headers': 'pode ter no máximo {most} cabeçalhos',
  'is there twice: header names are not case-sensitive':
    'aparece duas vezes: nomes de cabeçalhos não distinguem maiúsculas de minúsculas',
  'is missing: TLS needs both certificate and privateKey': 'falta: TLS precisa de certificate e privateKey',
  'names no token, so no caller could be accepted: add `- environment` with its `tokenFile`':
    'não indica nenhum token, e por isso nenhum chamador seria aceito: inclua `- environment` com o seu `tokenFile`',
  'is for PostgreSQL, and storage.url names an SQLite file: remove it':
    'vale para PostgreSQL, e storage.url indica um arquivo SQLite: remova-o',
  'is not a loopback address, so the API must have TLS: add certificate and privateKey, or write 127.0.0.1':
    'não é um endereço de loopback, e por isso a API precisa de TLS: inclua certificate e privateKey, ou escreva 127.0.0.1',
  'needs TLS: add certificate and privateKey': 'precisa de TLS: inclua certificate e privateKey',
  'contradicts `clientCertificates: off`, which requests none: keep one of them':
    'contradiz `clientCertificates: off`, que não pede nenhum: mantenha um dos dois',
  "is missing: write the path of a PEM file with the CAs of your apps' certificates":
    'falta: escreva o caminho de um arquivo PEM com as ACs dos certificados dos seus aplicativos',
  "is any, so every certificate of the chain's authority could call: say who the caller is, under allow (subjectCommonNames, subjectAlternativeNames, subject or fingerprints), or write client":
    'é any, e assim qualquer certificado da autoridade da cadeia poderia chamar: diga quem é o chamador, em allow (subjectCommonNames, subjectAlternativeNames, subject ou fingerprints), ou escreva client',
  'must not be longer than requestTimeout, which includes it': 'não pode ser maior que requestTimeout, que o inclui',
  'must not be more than maxConnections, the connections of all addresses together':
    'não pode ser maior que maxConnections, as conexões de todos os endereços juntos',
  'names no interface: write the address of at least one of {names}':
    'não indica nenhuma interface: escreva o endereço de pelo menos uma destas: {names}',
  'is missing: the interface {name} asks for a client certificate':
    'falta: a interface {name} pede um certificado de cliente',
  'needs baseAddresses.charges, where the entries of a token are asked for':
    'precisa de baseAddresses.charges, onde os itens de um token são consultados',
  'is missing: write the path of the certificate of this private key':
    'falta: escreva o caminho do certificado desta chave privada',
  'is missing: write the path of the .p12 file of this password':
    'falta: escreva o caminho do arquivo .p12 desta senha',
  'contradicts the .p12 file, which holds the private key: remove it':
    'contradiz o arquivo .p12, que contém a chave privada: remova-o',
  'is missing: name the file with the private key, which may be the same file; a PKCS#12 file needs none, and must end in .p12 or .pfx':
    'falta: informe o arquivo com a chave privada, que pode ser o mesmo; um arquivo PKCS#12 não precisa dela, e deve terminar em .p12 ou .pfx',
  'is for a .p12 file: remove it, or name a certificate file that ends in .p12 or .pfx':
    'vale para um arquivo .p12: remova-o, ou informe um arquivo de certificado que termina em .p12 ou .pfx',
  'a backslash in double quotes begins an escape sequence: use single quotes':
    'uma barra invertida entre aspas duplas começa uma sequência de escape: use aspas simples',
  'this key is there twice: keep one of them': 'esta chave aparece duas vezes: mantenha uma',
  'a tab is used to indent: use spaces': 'um tab foi usado para recuar: use espaços',
  'a second document begins (---): keep one': 'um segundo documento começa (---): mantenha um',
  'tags (!…) are not allowed: write plain values': 'tags (!…) não são permitidas: escreva valores simples',
  'a value cannot begin with %: put it into quotes': 'um valor não pode começar com %: escreva-o entre aspas',
  'the configuration file {file} is not UTF-8 text: save it as UTF-8':
    'o arquivo de configuração {file} não é texto UTF-8: salve-o como UTF-8',
  'the configuration file {file} is longer than 4 MiB: is it the right file?':
    'o arquivo de configuração {file} tem mais de 4 MiB: é o arquivo certo?',
  'the configuration file {file} cannot be read: {reason}; --config FILE or PORTARIA_CONFIG names it, config/portaria.yaml explains every key':
    'o arquivo de configuração {file} não pode ser lido: {reason}; --config ARQUIVO ou PORTARIA_CONFIG o indica, config/portaria.yaml explica cada chave',
  'the configuration file {file} is not valid YAML: correct these lines':
    'o arquivo de configuração {file} não é YAML válido: corrija estas linhas',
  'the configuration file {file} cannot be read as YAML: make it simpler':
    'o arquivo de configuração {file} não pode ser lido como YAML: simplifique-o',
  'the configuration file {file} cannot be read: {reason}; write it without anchors (&) and aliases (*), or put values that begin so into quotes':
    'o arquivo de configuração {file} não pode ser lido: {reason}; escreva-o sem âncoras (&) e aliases (*), ou coloque entre aspas os valores que começam assim',
  'the configuration file {file} is empty: begin with config/portaria.yaml':
    'o arquivo de configuração {file} está vazio: comece com config/portaria.yaml',
  'CA files of destinations cannot be used': 'arquivos de AC de destinos não podem ser usados',
  'names no kind{suggestion}: known are {names}': 'não indica um tipo{suggestion}: existem {names}',
  '{file} has no token of {environment} under chargeNotifications.tokens':
    '{file} não tem token de {environment} em chargeNotifications.tokens',
  'its file must hold {form}: make one with `{command}`': 'o seu arquivo deve conter {form}: crie um com `{command}`',
  'chargeNotifications.tokens: tokenFile of {environment} {problem}':
    'chargeNotifications.tokens: tokenFile de {environment} {problem}',
  '✗ {words}': '✗ {words}',
  'needs clientCa, the authorities that signed the lists: add it, or remove the lists':
    'precisa de clientCa, as autoridades que assinaram as listas: inclua-a, ou remova as listas',
}
