import type { Texts } from '../../../translator.ts'

/** Certificates, keys and chains. */
export const CERTIFICATES_MESSAGES: Texts = {
  'correct the file: until then its callers are refused': 'corrija o arquivo: até lá os chamadores dele são recusados',
  '{names} (callbacks) do not exist, and development makes only {names2} in {folder}, the folder of callbacks.certificate: put your own files there, or write these names in the configuration.':
    '{names} (callbacks) não existem, e em desenvolvimento só são criados {names2} em {folder}, a pasta de callbacks.certificate: coloque ali os seus próprios arquivos, ou escreva estes nomes na configuração.',
  '{names} (callbacks) does not exist, and development makes only {names2} in {folder}, the folder of callbacks.certificate: put your own files there, or write these names in the configuration.':
    '{names} (callbacks) não existe, e em desenvolvimento só são criados {names2} em {folder}, a pasta de callbacks.certificate: coloque ali os seus próprios arquivos, ou escreva estes nomes na configuração.',
  'Some development certificates are missing in {folder}: {names}. They belong together with {names2}: put the missing files back, or delete these and start again: then all of them are created.':
    'Faltam certificados de desenvolvimento em {folder}: {names}. Eles formam um conjunto com {names2}: recoloque os arquivos que faltam, ou exclua estes e inicie de novo, para que todos sejam criados.',
  '{key} is not the key of {certificate} (development certificates in {folder}): delete {names} and start again: then they are created.':
    '{key} não é a chave de {certificate} (certificados de desenvolvimento em {folder}): exclua {names} e inicie de novo, para que sejam criados.',
  'The development certificate {certificate} in {folder} {now}: delete {names} and start again: then they are created.':
    'O certificado de desenvolvimento {certificate} em {folder} {now}: exclua {names} e inicie de novo, para que sejam criados.',
  'The development certificates cannot be written to {folder}: {error}; let this user write there, or name another folder in the configuration.':
    'Não é possível gravar os certificados de desenvolvimento em {folder}: {error}; permita que este usuário grave ali, ou informe outra pasta na configuração.',
  'the certificate and its key cannot be used for TLS ({cause}): get a certificate with an EC P-256 or RSA key of at least 2048 bits, signed with SHA-256':
    'o certificado e a sua chave não podem ser usados para TLS ({cause}): obtenha um certificado com uma chave EC P-256 ou RSA de pelo menos 2048 bits, assinado com SHA-256',
  'the password does not open {what}: check it and try again': 'a senha não abre {what}: verifique-a e tente de novo',
  '{file} ({key}) cannot be read ({error})': '{file} ({key}) não pode ser lido ({error})',
  '{file} ({key}) does not exist: put the file there, or correct the path in the configuration':
    '{file} ({key}) não existe: coloque o arquivo ali, ou corrija o caminho na configuração',
  'the password of {file} is missing': 'falta a senha de {file}',
  '{file} ({key}) is a folder: name a PEM file': '{file} ({key}) é uma pasta: informe um arquivo PEM',
  '{file} ({key}) may not be read by this user: {advice}':
    '{file} ({key}) não pode ser lido por este usuário: {advice}',
  '{option} has {count} characters, and RFC 5280 allows {most}: shorten it':
    '{option} tem {count} caracteres, e a RFC 5280 permite {most}: encurte-o',
  '--subject C is a country of two letters, such as BR': '--subject C é um país de duas letras, como BR',
  '--subject "{written}" is no attribute with a value, such as O=Shop: the attributes are {known}; the common name is the first --name':
    '--subject "{written}" não é um atributo com valor, como O=Loja: os atributos são {known}; o nome comum é o primeiro --name',
  '{option} holds a control character: write the name on one line':
    '{option} contém um caractere de controle: escreva o nome em uma linha',
  '{option} is empty: write the name, or leave the option out':
    '{option} está vazia: escreva o nome, ou retire a opção',
  '--name "{name}" is no DNS name: give the host of the URL that the service is to call, such as callbacks.example.com':
    '--name "{name}" não é um nome DNS: informe o host da URL que o serviço vai chamar, por exemplo callbacks.example.com',
  '{path} {message}, or remove it': '{path} {message}, ou remova-o',
  '{path} exists already and is never overwritten: name another file':
    '{path} já existe e nunca é sobrescrito: informe outro arquivo',
  'there is no folder {path}: create it or name another file':
    'não existe a pasta {path}: crie-a ou informe outro arquivo',
  '{path} cannot be written ({cause}): check its folder and the disk':
    '{path} não pode ser gravado ({cause}): verifique a pasta e o disco',
  '{path} cannot be written ({cause}): {advice}': '{path} não pode ser gravado ({cause}): {advice}',
  'cannot be written ({cause})': 'não pode ser gravado ({cause})',
  '{host}:{port} shows no certificate ({error}): check host and port, and that it speaks TLS 1.2 or 1.3':
    '{host}:{port} não apresenta nenhum certificado ({error}): verifique o host e a porta, e se ele fala TLS 1.2 ou 1.3',
  '{certificate} and {privateKey} cannot be used for TLS ({error}): get a certificate with an EC P-256 or RSA key of at least 2048 bits, signed with SHA-256':
    '{certificate} e {privateKey} não podem ser usados para TLS ({error}): obtenha um certificado com uma chave EC P-256 ou RSA de pelo menos 2048 bits, assinado com SHA-256',
  'the chains in {path} cannot be read ({error}): {advice}':
    'as cadeias em {path} não podem ser lidas ({error}): {advice}',
  'cannot write in {folder} ({error}): check the folder and the disk':
    'não é possível gravar em {folder} ({error}): verifique a pasta e o disco',
  'cannot write in {folder} ({error}): {advice}': 'não é possível gravar em {folder} ({error}): {advice}',
  '"{name}" cannot be a chain\'s name: letters, digits, dots, dashes and underscores, at most 64':
    '"{name}" não pode ser o nome de uma cadeia: letras, dígitos, pontos, hifens e sublinhados, no máximo 64',
  'a chain {name} is {state} already ({file}): choose another --name':
    'já existe uma cadeia {name}, no estado {state} ({file}): escolha outro nome com --name',
  'there is no chain {name}: "{command} certs trust list" shows which there are':
    'não há nenhuma cadeia {name}: "{command} certs trust list" mostra as que existem',
  'the chain {name} is {state}, not {from}': 'a cadeia {name} está no estado {state}, não {from}',
  'the chain cannot be fetched from {url}: no answer within {seconds} s':
    'a cadeia não pode ser baixada de {url}: sem resposta em {seconds} s',
  'the chain cannot be fetched from {url}: {error}': 'a cadeia não pode ser baixada de {url}: {error}',
  '{file} has no entry for {environment} under {section}: add one with the path of its chain':
    '{file} não tem entrada para {environment} em {section}: inclua uma com o caminho da cadeia',
  '{file} has {count} entries for {environment} under {section}: only a single one can be compared or changed; change these files by hand':
    '{file} tem {count} entradas para {environment} em {section}: só uma única pode ser comparada ou alterada; altere estes arquivos manualmente',
  "No chain of the service is installed, so no caller could be trusted. Get the service's certificate chain (PEM, up to its root), put the file on this machine and name it in the configuration under callbacks.trust, with its environment (production or sandbox).":
    'Nenhuma cadeia do serviço está instalada; por isso nenhum chamador seria confiável. Obtenha a cadeia de certificados do serviço (PEM, até a raiz), coloque o arquivo nesta máquina e informe-o na configuração em callbacks.trust, com o ambiente dela (production ou sandbox).',
  'The chains of callers have {count} problems': 'As cadeias dos chamadores têm {count} problemas',
  "{option} {key} is not the key of the first certificate in {other} {cert}: give the pair that belongs together, the caller's own certificate first":
    '{option} {key} não é a chave do primeiro certificado em {other} {cert}: informe a chave e o certificado do mesmo par, com o certificado do próprio chamador primeiro',
  '--cert {cert} cannot be used for TLS ({cause}): get another certificate':
    '--cert {cert} não pode ser usado para TLS ({cause}): obtenha outro certificado',
  '{option} {file} cannot be read ({cause}): check the path':
    '{option} {file} não pode ser lido ({cause}): verifique o caminho',
  '{option} {file} cannot be read ({cause}): {advice}': '{option} {file} não pode ser lido ({cause}): {advice}',
  '{option} {file} is a PKCS#12 file (.p12 or .pfx): make PEM files with: {command} certs import {file} --out-cert client.crt --out-key client.key':
    '{option} {file} é um arquivo PKCS#12 (.p12 ou .pfx): crie arquivos PEM com: {command} certs import {file} --out-cert client.crt --out-key client.key',
  '{option} {file} is a PKCS#12 file (.p12 or .pfx): take its CA certificates with: openssl pkcs12 -in {file} -cacerts -nokeys -out ca.pem':
    '{option} {file} é um arquivo PKCS#12 (.p12 ou .pfx): extraia os certificados de AC com: openssl pkcs12 -in {file} -cacerts -nokeys -out ca.pem',
  '{path} exists already and is never overwritten: name another file, or move it away if nothing uses it':
    '{path} já existe e nunca é sobrescrito: informe outro arquivo, ou mova-o se ninguém o usa',
  '{privateKey} is encrypted: install it with {command} certs import':
    '{privateKey} está criptografada: instale-a com {command} certs import',
  'the password for {what} is empty: choose one': 'a senha de {what} está vazia: escolha uma',
  'the two passwords are not the same: nothing was written': 'as duas senhas não são iguais: nada foi gravado',
  '--password-file and --password-credential exclude each other: leave one of them out':
    '--password-file e --password-credential não podem ser usadas juntas: retire uma delas',
  '--password-credential needs a unit with LoadCredential=: CREDENTIALS_DIRECTORY is not set; or use --password-file FILE':
    '--password-credential precisa de uma unit com LoadCredential=: CREDENTIALS_DIRECTORY não está definido; ou use --password-file ARQUIVO',
  '--password-credential "{name}" is not a credential name: give the name alone':
    '--password-credential "{name}" não é o nome de uma credencial: informe só o nome',
  '{what} needs a password, and there is no terminal to ask for it: give --password-file FILE or --password-credential NAME':
    '{what} precisa de uma senha, e não há terminal em que pedi-la: use --password-file ARQUIVO ou --password-credential NOME',
  'canceled: nothing was written': 'cancelado: nada foi gravado',
  '{file} names no certificate under {section}: add certificate and privateKey there, or name files yourself':
    '{file} não informa um certificado em {section}: inclua ali certificate e privateKey, ou informe você mesmo os arquivos',
  '{names} belong together, without --for: name both files, or a section of the configuration':
    '{names} só valem juntas, sem --for: informe os dois arquivos, ou uma seção da configuração',
  'name either a file or --for, not both': 'informe um arquivo ou --for, não os dois',
  '--servername belongs to --host: leave it out for a file': '--servername vale com --host: para um arquivo, retire-o',
  'name either a file, --for or --host, not two of them': 'informe só um entre um arquivo, --for e --host',
  '--host "{text}" is not HOST:PORT: write it as example.com:8443 or [::1]:8443':
    '--host "{text}" não é HOST:PORTA: escreva, por exemplo, example.com:8443 ou [::1]:8443',
  'nothing was changed: callers that were seen recently would be refused; add --yes to proceed':
    'nada foi alterado: chamadores vistos recentemente seriam recusados; use --yes para prosseguir',
  '{done}; but the running gateway does not use it': '{done}; mas o gateway em execução não a usa',
  '{done}; but the running gateway: {message}': '{done}; mas o gateway em execução: {message}',
  'there is no chain {name}: "{command} certs trust list" lists them':
    'não há nenhuma cadeia {name}: "{command} certs trust list" as lista',
  'the chain {name} is active already': 'a cadeia {name} já está ativa',
  '{name} is the only active chain of {options}: activate another one first, or remove the entry from {realm}':
    '{name} é a única cadeia ativa de {options}: ative antes outra, ou remova a entrada de {realm}',
  'It must be 64 hexadecimal digits, as "trust fetch" shows them.':
    'Deve ter 64 dígitos hexadecimais, como "trust fetch" os mostra.',
  'nothing was changed: the SHA-256 of the published file differs from --accept':
    'nada foi alterado: o SHA-256 do arquivo publicado difere de --accept',
  '{file} does not say where the service publishes its chain for {realm}: add certificateUrl to that entry of {realm2}':
    '{file} não diz onde o serviço publica a cadeia dele para {realm}: inclua certificateUrl nessa entrada de {realm2}',
  'no chains': 'nenhuma cadeia',
  '{what} is empty: {advice}': '{what} está vazio: {advice}',
  'copy the whole file again from where it came': 'copie de novo o arquivo inteiro de onde ele veio',
  '{file} does not exist: check the path': '{file} não existe: verifique o caminho',
  '{file} may not be read by this user: {advice}': '{file} não pode ser lido por este usuário: {advice}',
  '{file} is a folder: name a file': '{file} é uma pasta: informe um arquivo',
  '{file} cannot be read ({error})': '{file} não pode ser lido ({error})',
  '{what} is a PKCS#12 file with neither a certificate nor a key: export it again, with both':
    '{what} é um arquivo PKCS#12 sem certificado e sem chave: exporte-o de novo, com os dois',
  '{what} is not a whole certificate request: {advice}': '{what} não é um pedido de certificado completo: {advice}',
  '{what} is binary, but no whole certificate, key, request or PKCS#12 file: {advice}':
    '{what} é binário, mas não é um certificado, chave, pedido ou arquivo PKCS#12 completo: {advice}',
  'the files hold no private key: name the one that the request was made with, --key FILE':
    'os arquivos não contêm chave privada: informe a que foi usada no pedido, --key ARQUIVO',
  'the files hold no certificate: add the issued certificate':
    'os arquivos não contêm certificado: inclua o certificado emitido',
  'the files hold several certificates that could be meant: {names}: give only the one to install, and its issuers':
    'os arquivos contêm vários certificados possíveis: {names}: informe só o que deve ser instalado, e os emissores dele',
  '{what} is encrypted with a passphrase, which Portaria cannot ask for: decrypt it with "openssl pkey -in FILE -out FILE.plain" and give the new file mode 0600':
    '{what} está criptografada com uma senha, que o Portaria não pode pedir: descriptografe-a com "openssl pkey -in ARQUIVO -out ARQUIVO.plain" e dê ao novo arquivo o modo 0600',
  '{what} is not a whole private key: {advice}': '{what} não é uma chave privada completa: {advice}',
  '{file} is not a PKCS#12 file: {advice}': '{file} não é um arquivo PKCS#12: {advice}',
  'the password in passwordFile does not open {file}: correct it': 'a senha em passwordFile não abre {file}: corrija-a',
  'the empty password does not open {file}: name the file with its password as passwordFile':
    'a senha vazia não abre {file}: informe em passwordFile o arquivo com a senha dele',
  '{file} holds {count} private keys: export it again with one certificate and its key':
    '{file} contém {count} chaves privadas: exporte-o de novo com um certificado e a sua chave',
  '{file} cannot be read ({cause}): copy the whole file again from where it came, or convert it to PEM files (openssl pkcs12 -in {file} -out bundle.pem)':
    '{file} não pode ser lido ({cause}): copie de novo o arquivo inteiro de onde ele veio, ou converta-o em arquivos PEM (openssl pkcs12 -in {file} -out bundle.pem)',
  '{file} cannot be used for TLS ({cause}): get a certificate with another key':
    '{file} não pode ser usado para TLS ({cause}): obtenha um certificado com outra chave',
  'the gateway shows destinations no client certificate: set forwarding.clientCertificate, or let them accept its deliveries without one':
    'o gateway não apresenta certificado de cliente aos destinos: defina forwarding.clientCertificate, ou faça com que eles aceitem as entregas sem um',
  "the gateway's client certificate cannot be used, and nothing is sent over https until it can: its log says why":
    'o certificado de cliente do gateway não pode ser usado, e nada é enviado por https até que possa: o log dele diz por quê',
  'has a critical extension that is not known here ({oid}): get a list without it, or name revoked callers under deny':
    'tem uma extensão crítica desconhecida aqui ({oid}): obtenha uma lista sem ela, ou informe chamadores revogados em deny',
  '{file} ({key}) does not exist: {reason}': '{file} ({key}) não existe: {reason}',
  '{file} is longer than 1 MiB, so it is no file of certificates: name another one':
    '{file} tem mais de 1 MiB, e por isso não é um arquivo de certificados: informe outro',
  '{what} is a PKCS#12 file that cannot be read ({cause}): {advice}, or convert it: openssl pkcs12 -in {what} -out bundle.pem':
    '{what} é um arquivo PKCS#12 que não pode ser lido ({cause}): {advice}, ou converta-o: openssl pkcs12 -in {what} -out bundle.pem',
  'the files hold {count} private keys: give only the files of one certificate and its key':
    'os arquivos contêm {count} chaves privadas: informe só os arquivos de um certificado e da sua chave',
  'the private key is not the key of {names}: give the key that the request was made with, or have a new certificate issued for this key':
    'a chave privada não é a de {names}: informe a chave usada no pedido, ou peça um novo certificado para esta chave',
  '{count} certificate blocks of {file} cannot be used': '{count} blocos de certificado de {file} não podem ser usados',
  '{what} is encrypted in a way that is out of use: convert it with "{command}"':
    '{what} está criptografada de uma forma que não se usa mais: converta-a com "{command}"',
  '{file} is no PKCS#12 file: give it the ending .pem, and name it as certificate and the file of its key (it may be the same) as privateKey':
    '{file} não é um arquivo PKCS#12: dê-lhe a terminação .pem, e informe-o como certificate e o arquivo da sua chave (pode ser o mesmo) como privateKey',
  '{file} holds no certificate of its private key: export it again with the certificate and its key':
    '{file} não contém o certificado da sua chave privada: exporte-o de novo com o certificado e a chave',
  'the certificate of {issuer}, which issued {name}, is not in the file of forwarding.clientCertificate: append it, and so on up to the root; the file is taken up by itself':
    'o certificado de {issuer}, que emitiu {name}, não está no arquivo de forwarding.clientCertificate: acrescente-o, e assim por diante até a raiz; o gateway passa a usar o arquivo sozinho',
  'is a delta list, of changes only: get the complete list':
    'é uma lista delta, só com mudanças: obtenha a lista completa',
  'is an indirect list, in the name of other authorities: get the list of the authority itself, or name revoked callers under deny':
    'é uma lista indireta, em nome de outras autoridades: obtenha a lista da própria autoridade, ou informe chamadores revogados em deny',
  'is about some reasons of revocation only: get the list of all reasons':
    'trata só de alguns motivos de revogação: obtenha a lista de todos os motivos',
  'is about attribute certificates only: get the list of callers’ certificates':
    'trata só de certificados de atributo: obtenha a lista dos certificados dos chamadores',
  '{folder} holds no private authority ({file}): name its folder, or create one with "{command}"':
    '{folder} não contém uma autoridade própria ({file}): informe a pasta dela, ou crie uma com "{command}"',
  '{certificate} must hold the certificate of the private authority alone: put it back':
    '{certificate} deve conter só o certificado da autoridade própria: recoloque-o',
  '{key} is not the key of {certificate} beside it: put the pair back that belongs together':
    '{key} não é a chave de {certificate} ao lado dela: recoloque a chave e o certificado do mesmo par',
  "the private authority in {folder} {now}, so it issues nothing: check this machine's clock, or create another authority":
    'a autoridade própria em {folder} {now}, e por isso não emite nada: verifique o relógio desta máquina, ou crie outra autoridade',
  '--name is empty: write the name of the authority': '--name está vazia: escreva o nome da autoridade',
  '--name has more than {most} characters: shorten it': '--name tem mais de {most} caracteres: encurte-o',
  '--name holds a control character: write the name on one line':
    '--name contém um caractere de controle: escreva o nome em uma linha',
  '{folder} is not empty, and nothing in it is overwritten: name a new folder for the authority':
    '{folder} não está vazia, e nada nela é sobrescrito: informe uma pasta nova para a autoridade',
  'the folder {folder} cannot be created ({cause}): name a folder that this user may create':
    'a pasta {folder} não pode ser criada ({cause}): informe uma pasta que este usuário possa criar',
  'the certificate for {name} is not what the authority signed: report this':
    'o certificado de {name} não é o que a autoridade assinou: comunique este erro',
  '{file} is no record of the private authority ({cause}): restore it from a copy of the folder':
    '{file} não é um registro da autoridade própria ({cause}): restaure-o de uma cópia da pasta',
  'its members are not those of a record': 'os membros dele não são os de um registro',
  'the key of the private authority is {key}: it must be EC P-256 or RSA':
    'a chave da autoridade própria é {key}: deve ser EC P-256 ou RSA',
  '{file} names no private authority: give --authority DIR, or add certificates.authority':
    '{file} não indica uma autoridade própria: use --authority PASTA, ou inclua certificates.authority',
  'created the private authority {folder}': 'autoridade própria criada em {folder}',
  'Next: {command} certs issue NAME --for forwarding --authority {folder}':
    'A seguir: {command} certs issue NOME --for forwarding --authority {folder}',
  'no certificates; issue one with: {command} certs issue NAME --for app':
    'nenhum certificado; emita um com: {command} certs issue NOME --for app',
  'wrote {file}: {count} revoked, valid until {time}': 'gravado {file}: {count} revogados, válido até {time}',
  'Earlier certificates of this name are still valid; revoke them once nothing uses them ({command} certs revoke SERIAL):':
    'Certificados anteriores com este nome ainda são válidos; revogue-os quando nada mais os usar ({command} certs revoke SERIAL):',
  'the name "{name}" must be letters, digits, dots, hyphens and underscores, at most 63, and begin with a letter or a digit':
    'o nome "{name}" deve ter letras, dígitos, pontos, hifens e sublinhados, no máximo 63, e começar com uma letra ou um dígito',
  '{path} exists already and is never overwritten: name another folder with --out, or move it away':
    '{path} já existe e nunca é sobrescrito: informe outra pasta com --out, ou mova-o',
  '{names}: the revocation is recorded, but not in the revocation list ({error}): correct that, then "{command} certs authority crl"':
    '{names}: a revogação está registrada, mas não na lista de revogação ({error}): corrija isso, e depois "{command} certs authority crl"',
  'wrote {file}: give it to every system that checks these certificates':
    'gravado {file}: entregue-o a todo sistema que verifica estes certificados',
  'the authority issued no certificate with the name or serial number "{name}": "{command}" shows them':
    'a autoridade não emitiu nenhum certificado com o nome ou número de série "{name}": "{command}" os mostra',
  '{name} is revoked already': '{name} já está revogado',
  '{name} has expired: there is nothing to revoke': '{name} venceu: não há nada para revogar',
  'certificates for several uses have the name {name}: revoke each by its serial number ({names})':
    'certificados para vários usos têm o nome {name}: revogue cada um pelo número de série ({names})',
  'nothing was signed (--dry-run)': 'nada foi assinado (--dry-run)',
  '{path} exists already and is never overwritten: name another with --out':
    '{path} já existe e nunca é sobrescrito: informe outro com --out',
  'Sign this request?': 'Assinar este pedido?',
  'nothing was signed': 'nada foi assinado',
  'signed: serial number {serial}, valid until {day}': 'assinado: número de série {serial}, válido até {day}',
  'wrote {file}: the certificate and that of the authority': 'gravado {file}: o certificado e o da autoridade',
  'Next: send this file back. To let its owner call the gateway, name ca.pem and crl.pem of the authority under trust.':
    'A seguir: devolva este arquivo. Para que o dono dele possa chamar o gateway, informe ca.pem e crl.pem da autoridade em trust.',
  'A gateway with certificates.authority renews the files that stay here. Copies elsewhere must be replaced then.':
    'Um gateway com certificates.authority renova os arquivos que ficam aqui. Cópias em outro lugar precisam então ser trocadas.',
  'A gateway with certificates.authority renews it in this file. Send the file back again then: the log says when (authority.renewed).':
    'Um gateway com certificates.authority o renova neste arquivo. Envie então o arquivo de novo: o log diz quando (authority.renewed).',
  'Next: send this file back. The API accepts the certificate for no other client; see api.clientCa and api.clientCrl.':
    'Em seguida: envie este arquivo de volta. A API não aceita o certificado para nenhum outro cliente; veja api.clientCa e api.clientCrl.',
  '{file} asks for the name {name} with another key than that of the certificate {serial}, which is valid: if its sender is the owner of that one and has a new key, add --replace; otherwise have it made with another common name (CN)':
    '{file} pede o nome {name} com outra chave que a do certificado {serial}, que está válido: se quem o enviou é o dono desse certificado e tem uma chave nova, acrescente --replace; senão, peça um pedido com outro nome comum (CN)',
  '{file} asks for the name {name}, which is that of a certificate for {use}: have it made with another common name (CN)':
    '{file} pede o nome {name}, que é o de um certificado para {use}: peça que seja feito com outro nome comum (CN)',
  '{file} has the key of the authority itself: have it made with a new key':
    '{file} tem a chave da própria autoridade: peça que seja feito com uma chave nova',
  '{file} has the key of {serial}, which was revoked because others may know it: have it made with a new key':
    '{file} tem a chave de {serial}, que foi revogado porque outros podem conhecê-la: peça que seja feito com uma chave nova',
  'is signed with {algorithm}: name revoked callers under deny instead':
    'está assinada com {algorithm}: informe chamadores revogados em deny',
  'an algorithm that is too weak or not known ({name})': 'um algoritmo fraco demais ou desconhecido ({name})',
  'SHA-1, which is too weak': 'SHA-1, que é fraco demais',
  'chain of {environment}': 'cadeia de {environment}',
  'Password of {what}:': 'Senha de {what}:',

  'the file {file} {words}': 'o arquivo {file} {words}',
  'is damaged: have it made and sent again': 'está danificado: peça que seja criado e enviado de novo',
  'is longer than {count} KiB: name the file of the request': 'tem mais de {count} KiB: informe o arquivo do pedido',
  'holds a private key, which must not leave its owner: ask for the request alone, with a new key':
    'contém uma chave privada, que não pode sair das mãos do dono: peça só o pedido (CSR), com uma chave nova',
  'holds {count} requests: sign each from a file of its own':
    'contém {count} pedidos: assine cada um a partir de um arquivo próprio',
  'holds no certificate request: it must begin with "-----BEGIN CERTIFICATE REQUEST-----"':
    'não contém um pedido de certificado: deve começar com "-----BEGIN CERTIFICATE REQUEST-----"',
  'has a key that is {key}, a curve that is not accepted: use P-256, P-384 or P-521':
    'tem uma chave {key}, uma curva que não é aceita: use P-256, P-384 ou P-521',
  'has a key that is {key}, which is not accepted: use EC P-256 or RSA with 2048 bits or more':
    'tem uma chave {key}, que não é aceita: use EC P-256 ou RSA com 2048 bits ou mais',
  'has a key that is {key}, which is too weak: use {bits} bits or more, or EC P-256':
    'tem uma chave {key}, que é fraca demais: use {bits} bits ou mais, ou EC P-256',
  'has a key that is {key}, which delays every handshake: use at most {bits} bits':
    'tem uma chave {key}, que atrasa cada handshake: use no máximo {bits} bits',
  'has a key that is {key}, with the weak exponent {exponent}: make a new key':
    'tem uma chave {key}, com o expoente fraco {exponent}: crie uma chave nova',
  'is signed with {algorithm}: have it signed with SHA-256 (openssl req -sha256)':
    'está assinado com {algorithm}: peça que seja assinado com SHA-256 (openssl req -sha256)',
  'is not signed with its own key: it was changed, or its sender does not have the key':
    'não está assinado com a própria chave: foi alterado, ou quem o enviou não tem a chave',
  'has no common name (CN): have it made with one': 'não tem nome comum (CN): peça que seja criado com um',
  'has a name of more than {most} characters: have it shortened':
    'tem um nome com mais de {most} caracteres: peça que seja encurtado',
  'has control characters in its subject: have it made again':
    'tem caracteres de controle no titular: peça que seja criado de novo',
  'has {count} alternative names: at most {most}': 'tem {count} nomes alternativos: no máximo {most}',
  '{number}. {name} for {names}, until {date} ({words})': '{number}. {name} para {names}, até {date} ({words})',
  '{number}. {name}, until {date} ({words})': '{number}. {name}, até {date} ({words})',
  '{name} is self-signed: only callers that install it trust it':
    '{name} é autoassinado: só os chamadores que o instalam confiam nele',
  '{name} names no host (subject alternative names): callers refuse such a server':
    '{name} não cita nenhum host (subject alternative names): os chamadores recusam um servidor assim',
  '{issuer}, which issued {name}, is not among the files, and is no public root: callers must know it':
    '{issuer}, que emitiu {name}, não está entre os arquivos e não é uma raiz pública: os chamadores devem conhecê-lo',
  'left out: {name}, which does not belong to the chain': 'deixado de fora: {name}, que não pertence à cadeia',
  'left out: the root {name}, which callers have themselves':
    'deixada de fora: a raiz {name}, que os chamadores já têm',

  'The certificates cannot be installed': 'Os certificados não podem ser instalados',
  'the certificate of {issuer}, which issued {name}, is missing: add it as another FILE ({words}), and so on up to the root, which is not installed; or say --incomplete when callers have it':
    'falta o certificado de {issuer}, que emitiu {name}: acrescente-o como outro ARQUIVO ({words}), e assim por diante até a raiz, que não é instalada; ou use --incomplete se os chamadores já o têm',
  'your authority publishes it': 'a sua autoridade o publica',
  'it is published at {url}': 'está publicado em {url}',
  '{name} may not be used as a {words} certificate: have one issued with that extended key usage':
    '{name} não pode ser usado como certificado de {words}: peça a emissão de um com esse uso estendido da chave',
  "{name} {words}: get a current one, or check this machine's clock":
    '{name} {words}: obtenha um atual, ou confira o relógio desta máquina',
  'server or client': 'servidor ou cliente',
  'subject:   {name}': 'titular:   {name}',
  'names:     none': 'nomes:     nenhum',
  'names:     {names}': 'nomes:     {names}',
  'key:       {key}; the request is signed with it': 'chave:     {key}; o pedido está assinado com ela',
  'not given: {names}': 'negado:    {names}',
  'to be an authority': 'ser uma autoridade',
  'alternative name {name}': 'nome alternativo {name}',
  'key identifier': 'identificador da chave',
  'key usage': 'uso da chave',
  'basic constraints': 'restrições básicas',
  'extended key usage': 'uso estendido da chave',
  'extension {oid}': 'extensão {oid}',
}
