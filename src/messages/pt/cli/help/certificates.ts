import type { Texts } from '../../../translator.ts'

/** Help of `certs`. */
export const CERTIFICATES_HELP: Texts = {
  'Create, install and inspect certificates': 'Cria, instala e examina certificados',
  'Create a private key and a certificate signing request':
    'Cria uma chave privada e um pedido de assinatura de certificado (CSR)',
  'DNS names of the certificate, the main one first': 'nomes DNS do certificado, o principal primeiro',
  'type of the key': 'tipo da chave',
  'organization in the subject of the certificate, at most 64 characters':
    'organização no titular do certificado, com até 64 caracteres',
  'further attributes of the subject, such as serialNumber=00000000000191 organizationIdentifier=OFBBR-…':
    'outros atributos do titular, como serialNumber=00000000000191 organizationIdentifier=OFBBR-…',
  'file for the new private key; must not exist': 'arquivo da nova chave privada; não pode existir',
  'file for the request; must not exist': 'arquivo do pedido; não pode existir',
  'Check an issued certificate with its chain and key, and install them':
    'Verifica um certificado emitido, com a cadeia e a chave, e os instala',
  'PEM in any order, DER, .p12 or .pfx': 'PEM em qualquer ordem, DER, .p12 ou .pfx',
  'section of the configuration whose certificate is meant (default: callbacks)':
    'seção da configuração a que o certificado pertence (padrão: callbacks)',
  'file with the password (default: asked on the terminal)': 'arquivo com a senha (padrão: perguntada no terminal)',
  'systemd credential with the password, in $CREDENTIALS_DIRECTORY':
    'credencial do systemd com a senha, em $CREDENTIALS_DIRECTORY',
  'private key, if the files hold none (default: the installed one)':
    'chave privada, se os arquivos não a contêm (padrão: a instalada)',
  'file for the certificate (default: as configured)': 'arquivo do certificado (padrão: o da configuração)',
  'file for the private key (default: as configured)': 'arquivo da chave privada (padrão: o da configuração)',
  'accept a chain whose last issuer is neither given nor a public root':
    'aceita uma cadeia cujo último emissor não foi informado nem é uma raiz pública',
  'check only, write nothing': 'só verifica, não grava nada',
  'Export an installed certificate, its chain and its private key to one file':
    'Exporta para um só arquivo um certificado instalado, a cadeia e a chave privada',
  'file of the certificate (default: as configured)': 'arquivo do certificado (padrão: o da configuração)',
  'file of its private key': 'arquivo da chave privada dele',
  'file to write; must not exist': 'arquivo a gravar; não pode existir',
  'pem: key and certificates as text; p12: PKCS#12 with a password':
    'pem: chave e certificados como texto; p12: PKCS#12 com senha',
  'Describe the certificates of a file or a server: names, issuer, days left, key usage, chain, key':
    'Descreve os certificados de um arquivo ou de um servidor: nomes, emissor, dias restantes, uso da chave, cadeia, chave',
  'PEM, DER, .p12 or .pfx: certificates, keys, requests (default: the configured certificate)':
    'PEM, DER, .p12 ou .pfx: certificados, chaves, pedidos (padrão: o certificado da configuração)',
  'show the certificates that this server sends; nothing is verified':
    'mostra os certificados que este servidor envia; nada é verificado',
  'server name to send (SNI), empty for none (default: the host)':
    'nome do servidor a enviar (SNI), vazio para nenhum (padrão: o host)',
  'List when certificates expire: our own, those of the service and of destinations; exit code 1 if one expires soon or loses its usage':
    'Lista quando os certificados vencem: os nossos, os do serviço e os dos destinos; código de saída 1 se um vence em breve ou perde o uso',
  'show at most this many': 'mostra no máximo esta quantidade',
  'print one JSON object per line': 'imprime um objeto JSON por linha',
  'a certificate expires soon if fewer days are left (default: by its lifetime, 30 days at most)':
    'um certificado vence em breve se restam menos dias que isto (padrão: conforme a validade, no máximo 30 dias)',
  'Manage the certificate chains of the service, whose callers are accepted, for each environment':
    'Gerencia as cadeias de certificados do serviço, cujos chamadores são aceitos, em cada ambiente',
  'List the chains of the service, and which of the active ones the running gateway uses; staged and retired ones are not trusted':
    'Lista as cadeias do serviço e quais das ativas o gateway em execução usa; as preparadas e as retiradas não são confiáveis',
  'production or sandbox (or homologacao, producao)': 'production ou sandbox (ou homologacao, producao)',
  'a name under institutions (default: every institution)': 'um nome em institutions (padrão: todas as instituições)',
  'Check a chain, store it as staged, and list the callers that would be refused if it replaced the active chains':
    'Verifica uma cadeia, guarda-a como preparada e lista os chamadores que seriam recusados se ela substituísse as cadeias ativas',
  'the chain up to its root, PEM': 'a cadeia até a raiz, PEM',
  'environment of the chain: production or sandbox (or homologacao, producao)':
    'ambiente da cadeia: production ou sandbox (ou homologacao, producao)',
  'a name under institutions (default: the unnamed or only one)':
    'um nome em institutions (padrão: a que não tem nome, ou a única)',
  'the chain up to its root, PEM: one file, or several in any order':
    'a cadeia até a raiz, PEM: um arquivo, ou vários em qualquer ordem',
  'name of the chain (default: the first file’s name)': 'nome da cadeia (padrão: o nome do primeiro arquivo)',
  'Show what would change if a chain replaced the active chains, and which callers would be refused; changes nothing':
    'Mostra o que mudaria se uma cadeia substituísse as cadeias ativas, e quais chamadores seriam recusados; não altera nada',
  'a PEM file, or the name of a chain in "trust list"': 'um arquivo PEM, ou o nome de uma cadeia de "trust list"',
  'Download the chain that the service publishes (certificateUrl) and show what would change; it is trusted only with --accept':
    'Baixa a cadeia que o serviço publica (certificateUrl) e mostra o que mudaria; só com --accept ela se torna confiável',
  'trust it, in addition to the active chains, if its SHA-256 is this':
    'confia nela, além das cadeias ativas, se este é o seu SHA-256',
  'name of the chain (default: fetched-<date>)': 'nome da cadeia (padrão: fetched-<data>)',
  'Trust a staged or retired chain, in addition to the active chains or instead of them':
    'Confia em uma cadeia preparada ou retirada, além das cadeias ativas ou no lugar delas',
  'name of the chain in "trust list"': 'nome da cadeia em "trust list"',
  'retire all other chains of the environment': 'retira todas as outras cadeias do ambiente',
  'proceed even if callers seen in the last 30 days would be refused':
    'prossegue mesmo que chamadores vistos nos últimos 30 dias passem a ser recusados',
  'Stop trusting a chain and close its callers’ connections; the file is kept under retired/':
    'Deixa de confiar em uma cadeia e encerra as conexões dos chamadores dela; o arquivo é guardado em retired/',
}
