import type { Texts } from '../../../translator.ts'

const NO_DESCRIPTOR =
  'não há mais descritores de arquivo: aumente LimitNOFILE= da unit, ou diminua os limites de conexões'

/** What is wrong with files of certificates and with lists and folders of them, and values that the configuration expects. */
export const FILES_MESSAGES: Texts = {
  'no file descriptor is left: raise LimitNOFILE= of the unit, or lower the limits of connections': NO_DESCRIPTOR,
  'put the folder back in the place of that file': 'recoloque a pasta no lugar desse arquivo',
  'correct the symbolic links, which lead in a circle': 'corrija os links simbólicos, que formam um círculo',
  'it answered {status}': 'respondeu {status}',
  'it is larger than {bytes} bytes, so it is no chain': 'tem mais de {bytes} bytes, e por isso não é uma cadeia',
  '{count} revocation lists of {file} cannot be used': '{count} listas de revogação de {file} não podem ser usadas',
  'is damaged or none at all ({words}): {words2}': 'está danificada ou não é uma lista ({words}): {words2}',
  'not a list': 'não é uma lista',
  'fields are missing': 'faltam campos',
  'two signature algorithms': 'dois algoritmos de assinatura',
  'an entry without a serial number': 'uma entrada sem número de série',
  'a date that is none': 'uma data inválida',
  '{file}: the revocation list of "{issuer}" is signed by no CA certificate of the chain {chain} that may sign lists: name the list of an installed authority, or remove it from {key}':
    '{file}: a lista de revogação de "{issuer}" não está assinada por nenhum certificado de AC da cadeia {chain} que possa assinar listas: informe a lista de uma autoridade instalada, ou remova-a de {key}',
  'no revocation list under {key} is of {name}, so what it revoked is not known here: get the list that it publishes and name its file under {key2}':
    'nenhuma lista de revogação em {key} é de {name}, e por isso não se sabe aqui o que ela revogou: obtenha a lista que ela publica e informe o arquivo em {key2}',
  'the client certificate of {key}, {name}, {words}: {words2}':
    'o certificado de cliente de {key}, {name}, {words}: {words2}',
  'the client certificate of {key} cannot be used: {words}; a corrected file is taken up by itself':
    'o certificado de cliente de {key} não pode ser usado: {words}; o gateway passa a usar sozinho um arquivo corrigido',
  'the authorities of {key} cannot be used: {words}; a corrected file is taken up by itself':
    'as autoridades de {key} não podem ser usadas: {words}; o gateway passa a usar sozinho um arquivo corrigido',
  'download a current one from your account at the service and put it in place (it is taken up by itself), or check the clock of this machine':
    'baixe um atual da sua conta no serviço e coloque-o no lugar (o gateway passa a usá-lo sozinho), ou verifique o relógio desta máquina',
  '{count} parts of {file} cannot be used': '{count} partes de {file} não podem ser usadas',
  '{part} is a compressed file: unpack it with "gunzip", and use the file inside':
    '{part} é um arquivo compactado: descompacte-o com "gunzip" e use o arquivo de dentro',
  '{part} is a Java keystore: convert it with "{command}"': '{part} é um keystore do Java: converta-o com "{command}"',
  '{part} is a key of PuTTY: export it there (Conversions) as an OpenSSH key, then: ssh-keygen -p -m PKCS8 -f FILE':
    '{part} é uma chave do PuTTY: exporte-a lá (Conversions) como chave OpenSSH, e depois: ssh-keygen -p -m PKCS8 -f ARQUIVO',
  '{part} holds its base64 text as one value among others, as JSON or YAML do: save this value alone':
    '{part} contém o texto base64 como um valor entre outros, como em JSON ou YAML: salve só esse valor',
  '{part} is a key in the form of OpenSSH: convert it in its place with "{command}"':
    '{part} é uma chave no formato do OpenSSH: converta-a no próprio lugar com "{command}"',
  '{part} is not base64 text, or was cut off: {words}': '{part} não é texto base64 ou foi cortado: {words}',
  '{part} is not base64 text: it has other characters in between, such as the > of a mail, marks of a web page or line numbers; save the file itself, not a copy of its text':
    '{part} não é texto base64: há outros caracteres no meio, como o > de um e-mail, marcas de uma página da web ou números de linha; salve o próprio arquivo, não uma cópia do texto',
  '{part} is not a whole private key: it has other characters in between, such as the > of a mail, marks of a web page or line numbers; save the file itself, not a copy of its text':
    '{part} não é uma chave privada completa: há outros caracteres no meio, como o > de um e-mail, marcas de uma página da web ou números de linha; salve o próprio arquivo, não uma cópia do texto',
  '{part} is not a whole private key, or was cut off: {words}':
    '{part} não é uma chave privada completa ou foi cortada: {words}',
  '{part} is not a certificate, as its first line says: put the issued certificate in its place':
    '{part} não é um certificado, como diz a primeira linha: coloque o certificado emitido no lugar',
  '{part} is in the form of OpenSSL with trust settings: convert it with "{command}"':
    '{part} está no formato do OpenSSL com configurações de confiança: converta-o com "{command}"',
  '{part} is a certificate request: {words}': '{part} é um pedido de certificado: {words}',
  'its key derivation has {rounds} rounds, more than {most}':
    'a derivação de chave dele tem {rounds} rodadas, mais de {most}',
  'is damaged: a part has the wrong type': 'está danificado: uma parte é do tipo errado',
  'is damaged: a part is missing': 'está danificado: falta uma parte',
  'holds content of an unknown type': 'contém conteúdo de um tipo desconhecido',
  '{name} is not in use: {words}': '{name} não está em uso: {words}',
  '{name} stays unchanged: {words}': '{name} continua como estava: {words}',
  'run this command as the owner of the folder, or as root': 'execute este comando como o dono da pasta, ou como root',
  'is a directory: name a file': 'é uma pasta: informe um arquivo',
  'is a named pipe and not a regular file: write its content to a file and name that':
    'é um pipe nomeado e não um arquivo comum: grave o conteúdo em um arquivo e informe-o',
  'is a socket and not a regular file: write its content to a file and name that':
    'é um socket e não um arquivo comum: grave o conteúdo em um arquivo e informe-o',
  'is a device and not a regular file: write its content to a file and name that':
    'é um dispositivo e não um arquivo comum: grave o conteúdo em um arquivo e informe-o',
  'is longer than {count} KiB: name the right file': 'tem mais de {count} KiB: informe o arquivo certo',

  'an RFC 3339 time such as 2026-01-31T12:00:00Z or 2026-01-31T09:00:00-03:00':
    'uma hora RFC 3339 como 2026-01-31T12:00:00Z ou 2026-01-31T09:00:00-03:00',
  'must be in the future': 'deve estar no futuro',
  'must be at most a year from now': 'deve ser no máximo daqui a um ano',
  'must be a duration such as {example}, 10s, 2m, 12h or 30d':
    'deve ser uma duração como {example}, 10s, 2m, 12h ou 30d',
  'must be a size such as {example}, 16KiB, 1MiB or 1GiB': 'deve ser um tamanho como {example}, 16KiB, 1MiB ou 1GiB',
  '{where}: {words} ({codes}), as in text that was copied from a page: type ordinary spaces and quotes':
    '{where}: {words} ({codes}), como em um texto copiado de uma página: digite espaços e aspas comuns',
  'the key "__proto__" is not allowed': 'a chave "__proto__" não é permitida',
  'lines {numbers}': 'linhas {numbers}',
  'lines {numbers} and more': 'linhas {numbers} e outras',
  "names no chain of the service, so no caller could be accepted: put the service's CA certificates (PEM) into a file and install it here with `- environment: production` and `chain: ../certs/trust/production.pem`":
    'não indica nenhuma cadeia do serviço, e por isso nenhum chamador seria aceito: coloque os certificados de AC do serviço (PEM) em um arquivo e informe-o aqui com `- environment: production` e `chain: ../certs/trust/production.pem`',
  'names no kind, so no path could be called: add one, such as `payment: { path: /callbacks/payment }`':
    'não indica nenhum tipo, e por isso nenhum caminho poderia ser chamado: inclua um, como `payment: { path: /callbacks/payment }`',
  'ca of destination {name} {words}': 'ca do destino {name} {words}',
  '{text} is not a network: write it like 10.0.0.0/8, fd00::/8, 192.0.2.7 or loopback':
    '{text} não é uma rede: escreva-a como 10.0.0.0/8, fd00::/8, 192.0.2.7 ou loopback',
  'The server certificate under {section} has {count} problems':
    'O certificado de servidor de {section} tem {count} problemas',
  'callbacks.kinds or institutions': 'callbacks.kinds ou institutions',

  'the path of a file': 'o caminho de um arquivo',
  'the path of a file with an https address': 'o caminho de um arquivo com um endereço https',
  'the path of a file with the https address': 'o caminho de um arquivo com o endereço https',
  'the path of a file with the name of the user': 'o caminho de um arquivo com o nome do usuário',
  'the path of a file with the password': 'o caminho de um arquivo com a senha',
  "the path of a PEM file with the CAs of the server's certificate":
    'o caminho de um arquivo PEM com as ACs do certificado do servidor',
  "the path of this server's certificate, PEM with its full chain":
    'o caminho do certificado deste servidor, em PEM com a cadeia completa',
  "the path of the certificate's private key, PEM": 'o caminho da chave privada do certificado, em PEM',
  'the path of a certificate, PEM with its full chain': 'o caminho de um certificado, em PEM com a cadeia completa',
  "the path of the authorities of your apps' certificates, PEM":
    'o caminho das autoridades dos certificados dos seus aplicativos, em PEM',
  'the path of a revocation list, PEM or DER': 'o caminho de uma lista de revogação, em PEM ou DER',
  "the path of the service's chain, PEM": 'o caminho da cadeia do serviço, em PEM',
  'the folder of your private authority': 'a pasta da sua autoridade própria',
  'a time zone such as America/Sao_Paulo': 'um fuso horário como America/Sao_Paulo',
  'an e-mail address such as team@example.com': 'um endereço de e-mail como team@example.com',
  'a program or one of its arguments': 'um programa ou um dos seus argumentos',
  'a name such as {name}': 'um nome como {name}',
  'the address of the destination, such as {url}': 'o endereço do destino, como {url}',
  'the name of a kind': 'o nome de um tipo',
  'the beginning of a subject, in quotes': 'o começo de um assunto, entre aspas',
  "the header's value": 'o valor do cabeçalho',
  'true or false': 'true ou false',
  'a duration such as {example}': 'uma duração como {example}',
  'a size such as {example}': 'um tamanho como {example}',
  'a whole number from {least} to {most}': 'um número inteiro de {least} a {most}',
  'a whole number from {least} to {most}, or unlimited': 'um número inteiro de {least} a {most}, ou unlimited',
  'a number from 0 to 1': 'um número de 0 a 1',
  'a percentage such as 2%, or a size such as 64MiB': 'uma porcentagem como 2%, ou um tamanho como 64MiB',
  'an address or a host name, such as {example}': 'um endereço ou um nome de host, como {example}',
  'a network such as {example}, an address, or loopback': 'uma rede como {example}, um endereço, ou loopback',
  'a path such as {path}': 'um caminho como {path}',
  'an address such as {example}': 'um endereço como {example}',
  'an https address, such as {example}': 'um endereço https, como {example}',
  'a JSON Pointer such as {example}': 'um JSON Pointer como {example}',
  'the SHA-256 of a certificate, 64 hexadecimal digits': 'o SHA-256 de um certificado, 64 dígitos hexadecimais',
  'the serial number of a certificate, hexadecimal, in quotes':
    'o número de série de um certificado, em hexadecimal, entre aspas',
  'the name of a header, such as {name}': 'o nome de um cabeçalho, como {name}',
  'the body of the answer, such as {example}': 'o corpo da resposta, como {example}',
  'an account or a key of yours, in quotes, such as "{example}"':
    'uma conta ou uma chave sua, entre aspas, como "{example}"',
  'a value, in quotes': 'um valor, entre aspas',
  'the issuer as the provider writes it, such as {url}': 'o emissor como o provedor o escreve, como {url}',
  'a scope such as {scope}': 'um escopo como {scope}',
  'the client id that the provider issued': 'o ID de cliente que o provedor emitiu',
  'the name of a claim, such as {name}': 'o nome de um claim, como {name}',
  'a value of the claim': 'um valor do claim',
  'the code of a finding, such as {code}': 'o código de um resultado, como {code}',
  'the subject of the finding, as portaria check prints it': 'o item do resultado, como portaria check o mostra',
  'why you accept it, in quotes': 'por que você o aceita, entre aspas',
  'a subject, in quotes': 'um assunto, entre aspas',
  'the name of an institution': 'o nome de uma instituição',
  'the name of a kind, such as {kind}': 'o nome de um tipo, como {kind}',
  'the client id that the service issued': 'o ID de cliente que o serviço emitiu',
  'an https address': 'um endereço https',
  'a secret such as {secret}': 'um segredo como {secret}',
  'the path of a file with the client secret that {issuer} issued':
    'o caminho de um arquivo com o segredo do cliente emitido por {issuer}',
  'the OpenID provider': 'o provedor OpenID',
  'the path of the certificate that destinations are shown, PEM with its full chain':
    'o caminho do certificado que é apresentado aos destinos, em PEM com a cadeia completa',
  'the path of the certificate that the service issued, PEM or .p12':
    'o caminho do certificado que o serviço emitiu, em PEM ou .p12',
  "the path of a PEM file with the CAs of the service's certificates":
    'o caminho de um arquivo PEM com as ACs dos certificados do serviço',
  'the path of a PEM file': 'o caminho de um arquivo PEM',
  'the path of a file with a secret': 'o caminho de um arquivo com um segredo',
  "the path of a file with the operator's token": 'o caminho de um arquivo com o token do operador',
  'the path of a folder of this machine': 'o caminho de uma pasta desta máquina',
  'the path of a file with the password of the .p12 file': 'o caminho de um arquivo com a senha do arquivo .p12',
  'a name': 'um nome',
  'the path of a file with a token': 'o caminho de um arquivo com um token',
  'the path of a file with the password of the PostgreSQL user':
    'o caminho de um arquivo com a senha do usuário do PostgreSQL',
  'a time of day in quotes, such as "{time}"': 'uma hora do dia entre aspas, como "{time}"',
  '200 or 202': '200 ou 202',
}
