import type { Texts } from '../../../translator.ts'

/** Help of `certs authority`, `certs issue`, `certs sign`, `certs revoke` and `clients certificate`, and what they say of renewals and of clients. */
export const AUTHORITY_HELP: Texts = {
  'A private certificate authority, for certificates of TLS clients':
    'Uma autoridade certificadora própria, para certificados de clientes TLS',
  'Create a private authority: its key, its certificate and an empty revocation list':
    'Cria uma autoridade própria: a chave, o certificado e uma lista de revogação vazia',
  'folder for it; must not exist or be empty (default: certificates.authority)':
    'pasta para ela; não pode existir, ou deve estar vazia (padrão: certificates.authority)',
  'its name, which others see': 'o nome dela, que os outros veem',
  'how long it is valid': 'por quanto tempo ela vale, em dias',
  'type of its key': 'tipo da chave',
  'Describe the private authority': 'Descreve a autoridade própria',
  'folder of the private authority (default: certificates.authority of the configuration)':
    'pasta da autoridade própria (padrão: certificates.authority da configuração)',
  'List the certificates that the private authority issued, the first to expire first':
    'Lista os certificados que a autoridade própria emitiu; primeiro os que vencem antes',
  'also those that are replaced, expired or revoked': 'também os substituídos, vencidos ou revogados',
  'Write the revocation list of the private authority again, before it ends':
    'Grava de novo a lista de revogação da autoridade própria, antes que ela vença',
  'Issue a client certificate with a new key from the private authority':
    'Emite pela autoridade própria um certificado de cliente com uma chave nova',
  'Issue a client certificate from the private authority that serves this client alone':
    'Emite pela autoridade própria um certificado que serve só a este cliente',
  'its name (CN), and that of its files': 'o nome dele (CN) e o dos seus arquivos',
  'forwarding: the gateway shows it to your systems; app: an app shows it to the API':
    'forwarding: o gateway o apresenta aos seus sistemas; app: um aplicativo o apresenta à API',
  'folder for its files': 'pasta para os arquivos',
  'how long it is valid; never longer than the authority': 'por quantos dias ele vale; nunca mais que a autoridade',
  'also a .p12 file; without an option for its password, a new one is written to a file beside it':
    'também um arquivo .p12; sem uma opção para a senha, uma nova é gravada em um arquivo ao lado',
  'Sign a certificate request for TLS clients with the private authority, such as that of an institution':
    'Assina com a autoridade própria um pedido de certificado para clientes TLS, como o de uma instituição',
  'the request (CSR), PEM or DER': 'o pedido (CSR), PEM ou DER',
  'file for the certificate, which must not exist, or its folder (default: the request’s, with .pem)':
    'arquivo do certificado, que não pode existir, ou a pasta dele (padrão: o nome do pedido, com .pem)',
  'for this client of the API alone (name or id), not for an institution':
    'só para este cliente da API (nome ou id), não para uma instituição',
  'although a valid certificate has the same name and another key':
    'mesmo que um certificado válido tenha o mesmo nome e outra chave',
  'sign without a question': 'assina sem perguntar',
  'check and show the request only': 'só verifica e mostra o pedido',
  'Revoke certificates of the private authority for good, and write its revocation list':
    'Revoga certificados da autoridade própria definitivamente e grava a lista de revogação',
  'serial number, or a name for every certificate of this name':
    'número de série, ou um nome para todos os certificados com esse nome',
  'ended: no system needs it any more; superseded: there is another; key-compromise: others may know its key':
    'ended: nenhum sistema precisa mais dele; superseded: há outro; key-compromise: outros podem conhecer a chave',
  'the client {name} is revoked, and gets no certificate': 'o cliente {name} foi revogado e não recebe certificado',
  'Next: give these files to the app. The API accepts the certificate for no other client; see api.clientCa and api.clientCrl.':
    'Em seguida: entregue estes arquivos ao aplicativo. A API não aceita o certificado para nenhum outro cliente; veja api.clientCa e api.clientCrl.',
  '{certificate} is past two thirds of its lifetime, and was not renewed':
    '{certificate} passou de dois terços da validade e não foi renovado',
  'the password of {old} is not known, so {certificate} is not renewed: issue another with "{command}"':
    'a senha de {old} não é conhecida, por isso {certificate} não é renovado: emita outro com "{command}"',
  '{foreign} does not belong to the user and group of the gateway, so it is not renewed: change its owner, or issue another as that user':
    '{foreign} não pertence ao usuário e ao grupo do gateway, por isso não é renovado: mude o dono, ou emita outro com esse usuário',
  '{certificate} was revoked, so it is not renewed: issue another with "{command}"':
    '{certificate} foi revogado e por isso não é renovado: emita outro com "{command}"',
  'the private authority in {folder} ends no later than {certificate}: create another, and issue from it':
    'a autoridade própria em {folder} não dura mais que {certificate}: crie outra e emita com ela',
}
