import type { Texts } from '../translator.ts'

/** Errors and output of `simulator`, `trigger` and `conformance` on the command line; what the simulated service answers is none of it. */
export const MESSAGES: Texts = {
  'It must be a port up to 65534.': 'Deve ser uma porta até 65534.',
  'It must be an http address, as http://localhost:9445.':
    'Deve ser um endereço http, por exemplo http://localhost:9445.',
  'It must be an https address.': 'Deve ser um endereço https.',
  '"{text}" is not a URL: give https://HOST:PORT/PATH': '"{text}" não é uma URL: informe https://HOST:PORTA/CAMINHO',
  'the URL holds a user name or password, and the service sends none: leave it out':
    'a URL contém nome de usuário ou senha, e o serviço não os envia: retire-os',
  '--timeout "{text}" is not a time: give seconds, at most {most}':
    '--timeout "{text}" não é um tempo: informe segundos, no máximo {most}',
  '--cert and --key belong together: give both': '--cert e --key só valem juntas: informe as duas',
  'More examples:': 'Mais exemplos:',
  'Examples:': 'Exemplos:',
  'start the simulated service': 'inicia o serviço simulado',
  'judge my receiver': 'avalia o meu receptor',
  'send it one callback': 'envia um callback a ele',
  'expired on {time}': 'venceu em {time}',
  'is missing': 'falta',
  'cannot be read ({error})': 'não pode ser lido ({error})',
  'The service, simulated: for development and tests, NEVER FOR PRODUCTION.':
    'O serviço, simulado: para desenvolvimento e testes, NUNCA EM PRODUÇÃO.',
  'It calls receivers on loopback and private addresses only, unless its settings allow others.':
    'Ele só chama receptores em endereços de loopback e privados, a menos que as suas configurações permitam outros.',
  'Receivers need a certificate of a public authority, or on this machine server.crt of the folder of this simulator: for a development gateway, start with --receiver-ca certs/server-ca.crt.':
    'Os receptores precisam de um certificado de uma autoridade pública, ou nesta máquina server.crt da pasta deste simulador: para um gateway de desenvolvimento, inicie com --receiver-ca certs/server-ca.crt.',
  'does the receiver trust the test CA? "{command} conformance chain --folder chains" writes the chains: install one, and restart the receiver':
    'o receptor confia na AC de testes? "{command} conformance chain --folder chains" grava as cadeias: instale uma, e reinicie o receptor',
  "no public authority issued the receiver's certificate: name the file of its authority with --ca":
    'nenhuma autoridade pública emitiu o certificado do receptor: informe o arquivo da autoridade dele com --ca',
  'no address is given for {kind}: name the receiver with --to https://HOST:PORT/PATH':
    'nenhum endereço foi informado para {kind}: informe o receptor com --to https://HOST:PORTA/CAMINHO',
  'Playground: {url} (every endpoint as a form, every record as a page)':
    'Playground: {url} (cada endpoint como um formulário, cada registro como uma página)',
  'Control API: {url} (described at {description})': 'API de controle: {url} (descrita em {description})',
  'Ctrl-C stops it.': 'Ctrl-C o encerra.',
  'The chain is published at {url} (certificateUrl, for "certs trust fetch").':
    'A cadeia é publicada em {url} (certificateUrl, para "certs trust fetch").',
  'Copy this block into another shell. A gateway then trusts the callbacks, and an app has its credentials:':
    'Copie este bloco para outro shell. Com ele, um gateway confia nos callbacks, e um aplicativo tem as credenciais:',
  'The same certificate is beside it as .p12 with an empty password, .crt and .key.':
    'O mesmo certificado está ao lado como .p12 com senha vazia, .crt e .key.',
  'Then register the URLs of a gateway, here those of "npm start":':
    'Depois cadastre as URLs de um gateway, aqui as de "npm start":',
  'warning: --host {host} lets other machines reach the simulator. Its pages ask for no credentials, and its secrets are for tests only: use it in a closed test network, or leave --host out':
    'aviso: --host {host} permite que outras máquinas acessem o simulador. As suas páginas não pedem credenciais, e os seus segredos são só para testes: use-o em uma rede de testes fechada, ou retire --host',
  '--control-host {host} needs --control-token-file: write a token of at least 16 characters into a file, for example with: openssl rand -hex 32':
    '--control-host {host} exige --control-token-file: grave um token de pelo menos 16 caracteres em um arquivo, por exemplo com: openssl rand -hex 32',
  '--control-port {port} is a port of the API, which has {first} and {second}: choose another one':
    '--control-port {port} é uma porta da API, que usa {first} e {second}: escolha outra',
  '--control-token-file {file} has no token: it must be 16 to 500 visible characters of ASCII, without spaces':
    '--control-token-file {file} não tem um token: ele deve ter de 16 a 500 caracteres ASCII visíveis, sem espaços',
  '{option} {file} cannot be read: {words}': '{option} {file} não pode ser lido: {words}',
  '{option} {file} cannot be written: {words}': '{option} {file} não pode ser gravado: {words}',
  '{option} {file} exists and is no report of this command: name another file':
    '{option} {file} existe e não é um relatório deste comando: indique outro arquivo',
  'port {port} on {host} cannot be opened ({words}): choose another one with {option}':
    'a porta {port} em {host} não pode ser aberta ({words}): escolha outra com {option}',
  'port {port} on {host} is used by another program: stop that program, or choose another port with {option}':
    'a porta {port} em {host} está em uso por outro programa: encerre esse programa, ou escolha outra porta com {option}',
  '{file} is no database of the simulator ({words}). Move the file away, or start without --keep.':
    '{file} não é um banco de dados do simulador ({words}). Retire o arquivo dali, ou inicie sem --keep.',
  'it is of version {version}, and this simulator reads version {known}':
    'ele é da versão {version}, e este simulador lê a versão {known}',
  '{file} has mistakes:': '{file} tem erros:',
  'the file: {words}': 'o arquivo: {words}',
  '{file} cannot be read as YAML: {words}. Give --settings a YAML file.':
    '{file} não pode ser lido como YAML: {words}. Informe um arquivo YAML em --settings.',
  '--receiver-ca {file} cannot be read ({words}): give the certificate of the authority that issued your server certificate; the first "npm start" makes certs/server-ca.crt':
    '--receiver-ca {file} não pode ser lido ({words}): informe o certificado da autoridade que emitiu o seu certificado de servidor; o primeiro "npm start" cria certs/server-ca.crt',
  '{file} has no certificate in PEM: give --receiver-ca the certificate of the authority that issued your server certificate':
    '{file} não tem um certificado em PEM: informe em --receiver-ca o certificado da autoridade que emitiu o seu certificado de servidor',

  'The folder {folder} cannot be used ({words_error}): {words}.':
    'A pasta {folder} não pode ser usada ({words_error}): {words}.',
  'let this user read and write there, or name another folder':
    'permita que este usuário leia e grave ali, ou informe outra pasta',
  'a folder that is mounted cannot be created at once, so name a folder below it':
    'uma pasta montada não pode ser criada de uma vez, por isso informe uma pasta dentro dela',
  'a part of this path is a file, so name another folder':
    'uma parte deste caminho é um arquivo, por isso informe outra pasta',
  'free some space on the disk': 'libere espaço no disco',
  'the file system is read-only, so name another folder':
    'o sistema de arquivos só permite leitura, por isso informe outra pasta',
  '{folder} holds other files and none of the simulator: name a new or an empty folder.':
    '{folder} contém outros arquivos e nenhum do simulador: informe uma pasta nova ou vazia.',
  '{file} {words}: put the right file back. To make everything again, remove the folder {folder} and start: certificates, ids and secrets are then new.':
    '{file} {words}: recoloque o arquivo certo. Para criar tudo de novo, remova a pasta {folder} e inicie: certificados, IDs e segredos serão novos.',
  '{file} {words}. To make everything again, remove the folder {folder} and start: certificates, ids and secrets are then new.':
    '{file} {words}. Para criar tudo de novo, remova a pasta {folder} e inicie: certificados, IDs e segredos serão novos.',
  'is not the certificate of {file}': 'não é o certificado de {file}',
  'is not the chain of its authority': 'não é a cadeia da sua autoridade',
  'is not valid ({words})': 'não é válido ({words})',
  'is not {cert} followed by {key}': 'não é {cert} seguido de {key}',
  'is not a PKCS#12 file': 'não é um arquivo PKCS#12',
  'has no private key': 'não tem chave privada',
  'does not end with the certificate of its issuer': 'não termina com o certificado do seu emissor',
  'is not a certificate': 'não é um certificado',
  'is not the key of {cert}': 'não é a chave de {cert}',
  'was not issued by {issuer}': 'não foi emitido por {issuer}',
  'is valid only from {time}, after the time of this machine: correct its clock':
    'só é válido a partir de {time}, depois da hora desta máquina: corrija o relógio',

  'operations takes no arguments': 'operations não aceita argumentos',
  '--control: {words}': '--control: {words}',
  "give a path and a body: {method} /clock/advance '{body}'":
    "informe um caminho e um corpo: {method} /clock/advance '{body}'",
  'there is no operation {name}: "{command} ctl operations" lists them':
    'não existe a operação {name}: "{command} ctl operations" as lista',
  'show {kinds}, each with its id: {command} ctl show charge 1000001':
    'mostre {kinds}, cada um com o seu ID: {command} ctl show charge 1000001',
  'the simulator refused it: {words}': 'o simulador recusou: {words}',
  'no simulator answers at {origin} ({words}): start one with "{command}", or give its address with --control':
    'nenhum simulador responde em {origin} ({words}): inicie um com "{command}", ou informe o endereço dele com --control',
  'its answer is no JSON': 'a resposta não é JSON',
  '{name}: {words}; its help: simulator ctl {operation} --help':
    '{name}: {words}; a ajuda: simulator ctl {operation} --help',
  'it needs {names}': 'exige {names}',
  'too many arguments': 'há argumentos demais',
  'it has no option {flag}': 'não tem a opção {flag}',
  '{flag} needs a value': '{flag} exige um valor',
  "the body must be a JSON object, in quotation marks of the shell: '{body}'":
    "o corpo deve ser um objeto JSON, entre aspas do shell: '{body}'",
  '{command} ctl <operation> --help lists the options of an operation.':
    '{command} ctl <operação> --help lista as opções de uma operação.',
  'Done.': 'Pronto.',
  'Tell the state of a record, its history, and what comes next and when':
    'Mostra o estado de um registro, o seu histórico, e o que vem a seguir e quando',
  'by its number': 'pelo número',
  'by its charge_id': 'pelo charge_id',
  'by its subscription_id': 'pelo subscription_id',
  'by its barcode or typeable line': 'pelo código de barras ou pela linha digitável',
  'by its carnet_id': 'pelo carnet_id',
  ', the clock is frozen; amounts in cents': ', o relógio está parado; valores em centavos',
  '; amounts in cents': '; valores em centavos',
  'nothing yet': 'nada ainda',
  'nothing comes any more': 'nada mais acontece',
  'nothing comes by itself': 'nada acontece por si só',
  'not by itself': 'não por si só',
  'The clock is frozen: nothing comes until it is moved (ctl advance-clock --by 1h), or runs (ctl set-clock --frozen false).':
    'O relógio está parado: nada acontece até que ele seja adiantado (ctl advance-clock --by 1h) ou volte a andar (ctl set-clock --frozen false).',

  '{status} after {time} ms': '{status} em {time} ms',
  'the status is {status}, not {statuses}': 'o status é {status}, e não {statuses}',
  'the answer took {time} ms, more than {limit} ms': 'a resposta levou {time} ms, mais de {limit} ms',
  'the answer does not repeat {name}': 'a resposta não repete {name}',
  'the status is {status}, not {first} or {last}': 'o status é {status}, e não {first} ou {last}',
  '{address} is a public address: the simulator calls it only with the setting webhooks.allowPublicAddresses':
    '{address} é um endereço público: o simulador só o chama com o ajuste webhooks.allowPublicAddresses',
  'must be a whole number': 'deve ser um número inteiro',
  'must be a number': 'deve ser um número',
  'must be a text': 'deve ser um texto',
  'must be an object': 'deve ser um objeto',
  'must be a list': 'deve ser uma lista',
  'must be a UUID': 'deve ser um UUID',
  'must be a URL': 'deve ser uma URL',
  'must be a date, as {date}': 'deve ser uma data, como {date}',
  'must be a time with its zone, as {one} or {other}': 'deve ser uma data e hora com o fuso, como {one} ou {other}',
  'must be at least {least}': 'deve ser no mínimo {least}',
  'must be less than {most}': 'deve ser menor que {most}',
  'must be more than {least}': 'deve ser maior que {least}',
  'must have at least {least} characters': 'deve ter no mínimo {least} caracteres',
  'must have at least {least} elements': 'deve ter no mínimo {least} elementos',
  'must have at most {most} elements': 'pode ter no máximo {most} elementos',
  'must be {names} or {last}': 'deve ser {names} ou {last}',
  'The receiver trusts the chain in {file}.': 'O receptor confia na cadeia em {file}.',
  'name a kind, or give --script: --list shows the kinds': 'informe um tipo, ou --script: --list mostra os tipos',
  '--script has its kinds, files and members in its steps: leave the others out':
    '--script tem os tipos, arquivos e membros nos seus passos: retire os outros',
  '--to {text}: there is no kind {kind}: give {kinds}': '--to {text}: não existe o tipo {kind}: informe {kinds}',
  '--to gives two addresses: leave one out': '--to informa dois endereços: retire um',
  '--to gives {kind} twice: leave one out': '--to informa {kind} duas vezes: retire um',
  '--to "{text}" is not a URL: give https://HOST:PORT/PATH, or http: for charges':
    '--to "{text}" não é uma URL: informe https://HOST:PORTA/CAMINHO, ou http: para cobranças',
  'the URL of --to holds a user name or password, and the service sends none: leave it out':
    'a URL de --to contém um nome de usuário ou uma senha, e o serviço não envia nenhum: retire-os',
  '--cert {cert} with --key {key} cannot be used for TLS: {words}':
    '--cert {cert} com --key {key} não pode ser usado para TLS: {words}',
  'the gateway would refuse the test certificate: it has no chain of the test CA {folder} in {environment}. Write the chains with "{command} conformance chain --folder chains" and install conformance-{environment}.pem, or give the certificate of a caller with --cert and --key':
    'o gateway recusaria o certificado de teste: ele não tem uma cadeia da AC de testes {folder} em {environment}. Grave as cadeias com "{command} conformance chain --folder chains" e instale conformance-{environment}.pem, ou informe o certificado de quem chama com --cert e --key',
  '--ca {file} has no certificate: give PEM with BEGIN CERTIFICATE':
    '--ca {file} não tem um certificado: informe PEM com BEGIN CERTIFICATE',
  '--ca {file} has a damaged certificate: {words}': '--ca {file} tem um certificado danificado: {words}',
  '--set {setting}: {words}': '--set {setting}: {words}',
  '--set {setting} adds {path}: the body is empty': '--set {setting} acrescenta {path}: o corpo está vazio',
  '--set {setting} adds {path}: {name} is empty': '--set {setting} acrescenta {path}: {name} está vazio',
  '--set {setting} adds {path}: the body has {names}': '--set {setting} acrescenta {path}: o corpo tem {names}',
  '--set {setting} adds {path}: {name} has {names}': '--set {setting} acrescenta {path}: {name} tem {names}',
  'give MEMBER=VALUE, such as status.atual=CANCELADO, or MEMBER:=JSON':
    'informe MEMBRO=VALOR, como status.atual=CANCELADO, ou MEMBRO:=JSON',
  'the body has no object or array in which {name} could be':
    'o corpo não tem um objeto ou uma lista em que {name} possa estar',
  '{name} is no place in an array: give a number from 0':
    '{name} não é um lugar de uma lista: informe um número a partir de 0',
  'the body has no object or array around {name}': 'o corpo não tem um objeto ou uma lista em volta de {name}',
  'the array has no place {name}': 'a lista não tem o lugar {name}',
  'the member is a {type}: give one, or a text as MEMBER:="TEXT"':
    'o membro é do tipo {type}: informe um valor desse tipo, ou um texto como MEMBRO:="TEXTO"',
  'its value is no JSON ({words})': 'o valor não é JSON ({words})',
  '--set changes JSON, and {file} has none: {words}': '--set altera JSON, e {file} não o contém: {words}',
  '--script {file}: {words}': '--script {file}: {words}',
  '--script {file}, step {number}: {words}': '--script {file}, passo {number}: {words}',
  'step {number}: a list of steps is expected, each with kind (and state, set, file, form, new), or with wait: 500ms, 2s or 1m':
    'passo {number}: é esperada uma lista de passos, cada um com kind (e state, set, file, form, new), ou com wait: 500ms, 2s ou 1m',
  'a list of steps is expected, each with kind (and state, set, file, form, new), or with wait: 500ms, 2s or 1m':
    'é esperada uma lista de passos, cada um com kind (e state, set, file, form, new), ou com wait: 500ms, 2s ou 1m',
  'there is no kind {kind}: give {kinds}': 'não existe o tipo {kind}: informe {kinds}',
  'a file has its own state: leave the state out': 'um arquivo tem o seu próprio estado: retire o estado',
  '{kind} has no state {state}: give {states}': '{kind} não tem o estado {state}: informe {states}',
  'the form token is for {kinds}, without a file': 'o formato token é para {kinds}, sem arquivo',
  '--script {file} is no YAML: {words}': '--script {file} não é YAML: {words}',

  '{name}: install {chain}, and pin {issuer}': '{name}: instale {chain}, e fixe {issuer}',
  '{verdict} {id}, {count} left': '{verdict} {id}, faltam {count}',
  'the certificates of the test CA {folder} had ended, and are new: install the chains again ("{command} conformance chain")':
    'os certificados da AC de testes {folder} tinham vencido, e são novos: instale as cadeias de novo ("{command} conformance chain")',
  'client certificates of the test CA {folder} had ended, and are new; the chains are the same':
    'certificados de cliente da AC de testes {folder} tinham vencido, e são novos; as cadeias são as mesmas',
  'no address is given: name the one that callbacks go to, https://HOST:PORT/PATH':
    'nenhum endereço foi informado: informe aquele para onde vão os callbacks, https://HOST:PORTA/CAMINHO',
  '--charges is in place of the URL: leave one of them out': '--charges substitui a URL: retire uma das duas',
  '--charges has no other kinds: leave --kind and --preset out':
    '--charges não tem outros tipos: retire --kind e --preset',
  '--charges is given at most twice: once with https and once with http':
    '--charges pode ser informada no máximo duas vezes: uma com https e uma com http',
  'the URL begins with {protocol} and the service calls {protocols} only: give https://HOST:PORT/PATH':
    'a URL começa com {protocol} e o serviço só chama {protocols}: informe https://HOST:PORTA/CAMINHO',
  '--kind "{kind}" is none of the preset {preset}: give {kinds}':
    '--kind "{kind}" não pertence ao modelo {preset}: informe {kinds}',
  '--log and --poll exclude each other: leave one of them out':
    '--log e --poll não podem ser usadas juntas: retire uma delas',
  '--poll-token is for --poll: give the address, too': '--poll-token é para --poll: informe também o endereço',
  '--poll "{text}" is not a URL: give http://HOST:PORT/PATH or https:':
    '--poll "{text}" não é uma URL: informe http://HOST:PORTA/CAMINHO ou https:',
  '{file} is no certificate of a test CA, and is left as it is: name another folder':
    '{file} não é um certificado de uma AC de testes, e fica como está: informe outra pasta',
  '{folder} has other files and no test CA: name a new or an empty folder':
    '{folder} tem outros arquivos e nenhuma AC de testes: informe uma pasta nova ou vazia',
  '{file} is missing: put it back, or remove the folder {folder} and install the chains that "conformance chain" then writes':
    '{file} está faltando: recoloque-o, ou remova a pasta {folder} e instale as cadeias que "conformance chain" grava em seguida',
  '{file} cannot be read ({words}): mend it, or remove the folder {folder} and install the chains that "conformance chain" then writes':
    '{file} não pode ser lido ({words}): corrija-o, ou remova a pasta {folder} e instale as cadeias que "conformance chain" grava em seguida',
  '--log {file} cannot be read: {words}; name the file that the receiver appends to, and make it before its first callback (touch)':
    '--log {file} não pode ser lido: {words}; informe o arquivo ao qual o receptor acrescenta, e crie-o antes do primeiro callback (touch)',
  'it is no file': 'não é um arquivo',
}
