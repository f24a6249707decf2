/** Of the OpenAPI documents. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'Create a random key; an account has at most 20': 'Cria uma chave aleatória; uma conta tem no máximo 20',
  'The key': 'A chave',
  'The request is not valid': 'A requisição não é válida',
  'No access token, or one of another interface, environment or certificate':
    'Falta o token de acesso, ou ele é de outra interface, outro ambiente ou outro certificado',
  'The token lacks the scope': 'O token não tem o escopo',
  'The body is larger than 256 KiB': 'O corpo tem mais de 256 KiB',
  'The body is not JSON, or is compressed': 'O corpo não é JSON, ou está comprimido',
  'Too many requests: wait as long as Retry-After says': 'Requisições demais: espere o tempo de Retry-After',
  'The service failed': 'O serviço falhou',
  'List the random keys of the account, oldest first': 'Lista as chaves aleatórias da conta, a mais antiga primeiro',
  'The keys': 'As chaves',
  'Remove a random key with its settings; charges of the key can no longer be paid by their codes':
    'Remove uma chave aleatória com suas configurações; as cobranças da chave não podem mais ser pagas por seus códigos',
  Removed: 'Removida',
  'No key of the account, with the setting errors: strict; else this is 400':
    'Não é uma chave da conta, com a configuração errors: strict; sem ela, o status é 400',
  'Show the balance, and on request the blocked amounts': 'Mostra o saldo e, se pedido, os valores bloqueados',
  'The balance': 'O saldo',
  'Create or change settings of the account; what is left out stays':
    'Cria ou altera configurações da conta; o que for omitido permanece',
  Set: 'Definidas',
  'List the settings of the account': 'Lista as configurações da conta',
  'The settings': 'As configurações',
  'Request the reconciliation statement of a day; the same parameters again are the same statement':
    'Solicita o extrato de conciliação de um dia; os mesmos parâmetros levam ao mesmo extrato',
  'YYYY-MM-DD, before today': 'YYYY-MM-DD, antes de hoje',
  'The statement with its present status': 'O extrato com o seu status atual',
  'Download a reconciliation statement': 'Baixa um extrato de conciliação',
  'The file': 'O arquivo',
  'Not ready yet: the body of the answer to its request':
    'Ainda não está pronto: o corpo é o da resposta à solicitação',
  'The account has no such statement': 'A conta não tem este extrato',
  'Fetch an access token (RFC 6749 section 4.4)': 'Obtém um token de acesso (RFC 6749, seção 4.4)',
  'The token': 'O token',
  'Wrong grant type or scope': 'O tipo de concessão ou o escopo está errado',
  'Wrong credentials': 'As credenciais estão erradas',
  'Show what a barcode or typeable line asks for; required before its payment':
    'Mostra o que um código de barras ou uma linha digitável cobra; necessário antes do pagamento',
  'The billet, or the utility or tax': 'O boleto, ou a conta de consumo ou o tributo',
  'No barcode, or an unknown one': 'Não é um código de barras, ou não é conhecido',
  'Request the payment of a barcode or typeable line, today or later':
    'Solicita o pagamento de um código de barras ou de uma linha digitável, hoje ou depois',
  'In cents': 'Em centavos',
  'YYYY-MM-DD; a day that is no business day means the next one':
    'YYYY-MM-DD; um dia que não é útil significa o próximo dia útil',
  Accepted: 'Aceita',
  Refused: 'Recusada',
  'Count the payments that were requested in a period': 'Conta os pagamentos solicitados em um período',
  'The counts': 'As contagens',
  'No period': 'Não é um período',
  'Show a payment': 'Mostra um pagamento',
  'The payment': 'O pagamento',
  'The account has no such payment': 'A conta não tem este pagamento',
  'Register a webhook of the payment interface; another URL adds one':
    'Cadastra um webhook da interface de pagamentos; outra URL acrescenta outro',
  Registered: 'Cadastrado',
  'The address is not accepted': 'O endereço não é aceito',
  'List the webhooks of the payment interface': 'Lista os webhooks da interface de pagamentos',
  'A page of webhooks': 'Uma página de webhooks',
  'Delete a webhook of the payment interface': 'Exclui um webhook da interface de pagamentos',
  Deleted: 'Excluído',
  'The account did not register this URL': 'A conta não cadastrou esta URL',
  'Register a webhook of the registration interface': 'Cadastra um webhook da interface de abertura de contas',
  'Registered already': 'Já cadastrado',
  'Show a webhook of the registration interface': 'Mostra um webhook da interface de abertura de contas',
  'The webhook': 'O webhook',
  'No webhook of the account has this id': 'Nenhum webhook da conta tem este identificador',
  'Delete a webhook of the registration interface': 'Exclui um webhook da interface de abertura de contas',
  'List the webhooks of the registration interface': 'Lista os webhooks da interface de abertura de contas',
  'Ask an end client to open an account': 'Pede a um cliente final que abra uma conta',
  '11 digits': '11 dígitos',
  'DD/MM/YYYY': 'DD/MM/AAAA',
  '14 characters': '14 caracteres',
  'The end client receives the link': 'O cliente final recebe o link',
  'The token lacks the scope, or a requested scope is not the application’s to grant':
    'O token não tem o escopo, ou a aplicação não pode conceder um escopo pedido',
  'Another opening, a refusal or another person is in the way':
    'Outra abertura, uma recusa ou outra pessoa impede a abertura',
  'The account has no webhook of the registration interface':
    'A conta não tem um webhook da interface de abertura de contas',
  'Show the credentials of an opened account': 'Mostra as credenciais de uma conta aberta',
  'The credentials': 'As credenciais',
  'No opening of the account has this id': 'Nenhuma abertura da conta tem este identificador',
  'The end client has not accepted, or the account is not there yet':
    'O cliente final não aceitou, ou a conta ainda não existe',
  'Make a client certificate of an opened account; those made before stay valid':
    'Cria um certificado de cliente de uma conta aberta; os anteriores continuam válidos',
  'A PKCS#12 file with an empty password, in base64': 'Um arquivo PKCS#12 com senha vazia, em base64',
  'Set the addresses and the security of the callbacks; replaces all settings':
    'Define os endereços e a segurança dos callbacks; substitui todas as configurações',
  'A value is missing, or the address accepts callers without a certificate':
    'Falta um valor, ou o endereço aceita quem não apresenta certificado',
  'A value is not valid, or the address cannot be reached':
    'Um valor não é válido, ou o endereço não pode ser alcançado',
  'Show the settings': 'Mostra as configurações',
  'The account has no settings yet': 'A conta ainda não tem configurações',
  'Create a charge': 'Cria uma cobrança',
  'Cents for each piece': 'Centavos de cada unidade',
  'Default: that of the account': 'Se omitido, o da conta',
  'What cannot be reached fails at delivery': 'O que não pode ser alcançado falha na entrega',
  'The charge': 'A cobrança',
  'Show a charge with its items, history, link and payment':
    'Mostra uma cobrança com itens, histórico, link e pagamento',
  'No charge of the account has this id': 'Nenhuma cobrança da conta tem este identificador',
  'Make the payment link of a new charge': 'Cria o link de pagamento de uma cobrança nova',
  'Cents, or hundredths of a percent': 'Centavos, ou centésimos de um por cento',
  'The last day on which it holds': 'O último dia em que vale',
  'The link': 'O link',
  'The charge has another status': 'A cobrança tem outro status',
  'Change the payment link of a charge before its payment':
    'Altera o link de pagamento de uma cobrança antes do pagamento',
  'Set the payment method of a new charge: a billet or a card':
    'Define a forma de pagamento de uma cobrança nova: boleto ou cartão',
  'A company, which is the payer; beside it or in place of name and cpf':
    'Uma empresa, que é a pagadora; junto com name e cpf, ou no lugar deles',
  'fine: once, in hundredths of a percent; interest: for each day, in thousandths of a percent':
    'fine: uma vez, em centésimos de um por cento; interest: por dia, em milésimos de um por cento',
  'As beside `payment`; some clients send it here': 'Como ao lado de `payment`; alguns clientes o enviam aqui',
  'Cancel a charge that is new, waiting, unpaid or a link':
    'Cancela uma cobrança com o status new, waiting, unpaid ou link',
  Cancelled: 'Cancelada',
  'Change the notification address and the integrator’s id of a charge, at any time':
    'Altera o endereço de notificação e o identificador do integrador de uma cobrança, a qualquer momento',
  'null: no notifications are sent': 'null: nenhuma notificação é enviada',
  Changed: 'Alterada',
  'Add a message to the history of a charge': 'Acrescenta uma mensagem ao histórico de uma cobrança',
  Added: 'Acrescentada',
  'Create a plan': 'Cria um plano',
  'Months between charges': 'Meses entre as cobranças',
  'null: until the plan is deleted': 'null: até que o plano seja excluído',
  'The plan': 'O plano',
  'List the plans, oldest first; without parameters all of them':
    'Lista os planos, o mais antigo primeiro; sem parâmetros, todos',
  'A part of the name, in any case': 'Uma parte do nome, em maiúsculas ou minúsculas',
  'The plans': 'Os planos',
  'Rename a plan': 'Muda o nome de um plano',
  Renamed: 'Nome alterado',
  'No plan of the account has this id': 'Nenhum plano da conta tem este identificador',
  'Delete a plan; its subscriptions generate no more charges':
    'Exclui um plano; suas assinaturas não geram mais cobranças',
  'Subscribe items to a plan; the first charge is created too':
    'Assina itens a um plano; a primeira cobrança também é criada',
  'The subscription': 'A assinatura',
  'Show a subscription with its plan and its charges': 'Mostra uma assinatura com seu plano e suas cobranças',
  'No subscription of the account has this id': 'Nenhuma assinatura da conta tem este identificador',
  'Cancel a subscription that is new or active': 'Cancela uma assinatura nova ou ativa',
  'The subscription has another status': 'A assinatura tem outro status',
  'Change the notification address and the integrator’s id of a subscription and of all its charges':
    'Altera o endereço de notificação e o identificador do integrador de uma assinatura e de todas as suas cobranças',
  'Set the payment method of a new subscription: billets or a card':
    'Define a forma de pagamento de uma assinatura nova: boletos ou cartão',
  'Free days before the first charge': 'Dias gratuitos antes da primeira cobrança',
  'The first charge': 'A primeira cobrança',
  'Add a message to the history of a subscription': 'Acrescenta uma mensagem ao histórico de uma assinatura',
  'Create a carnet: a billet a month for one customer': 'Cria um carnê: um boleto por mês para um cliente',
  'Due date of the first parcel; the others follow month by month':
    'Vencimento da primeira parcela; as outras seguem mês a mês',
  'Number of parcels, one a month': 'Número de parcelas, uma por mês',
  'true: the parcels share the total of the items; false: each parcel has that total':
    'true: as parcelas dividem o total dos itens; false: cada parcela tem esse total',
  'Of the first parcel; later parcels have its last day as many months later':
    'Da primeira parcela; nas seguintes, o último dia vem tantos meses depois',
  'The carnet with its parcels': 'O carnê com suas parcelas',
  'Show a carnet with its parcels and its history': 'Mostra um carnê com suas parcelas e seu histórico',
  'The carnet': 'O carnê',
  'No carnet of the account has this id': 'Nenhum carnê da conta tem este identificador',
  'Show the status changes behind a notification token, of the last six months, oldest first':
    'Mostra as mudanças de status de um token de notificação, dos últimos seis meses, a mais antiga primeiro',
  'The entries': 'As entradas',
  'No notification of the account has this token': 'Nenhuma notificação da conta tem este token',
}

/** Of the table of codes. */
const CODES: Readonly<Record<string, string>> = {
  'the body is no JSON': 'o corpo não é JSON',
  'the address cannot be read, as with a `%` that codes nothing':
    'o endereço não pode ser lido, como com um `%` que nada codifica',
  'no access token, an ended one, or one of another interface, environment or certificate; with `WWW-Authenticate`':
    'falta o token de acesso, ele terminou, ou é de outra interface, outro ambiente ou outro certificado; com `WWW-Authenticate`',
  'the token lacks the scope of the endpoint': 'o token não tem o escopo do endpoint',
  'no such address': 'este endereço não existe',
  'another method; `Allow` has those of the address': 'outro método; `Allow` tem os do endereço',
  'the body is larger than 256 KiB': 'o corpo tem mais de 256 KiB',
  'the body is not `application/json`': 'o corpo não é `application/json`',
  'the body is compressed': 'o corpo está comprimido',
  'too many requests: wait for `Retry-After`': 'requisições demais: espere o tempo de `Retry-After`',
  'the service failed': 'o serviço falhou',
  'the body is no JSON, or the address cannot be read': 'o corpo não é JSON, ou o endereço não pode ser lido',
  'no access token, an ended one, or one of another interface or environment; with `WWW-Authenticate`':
    'falta o token de acesso, ele terminou, ou é de outra interface ou outro ambiente; com `WWW-Authenticate`',
  'the body is not `application/json`, or is compressed': 'o corpo não é `application/json`, ou está comprimido',
  'the body has no `grant_type`, or cannot be read': 'o corpo não tem `grant_type`, ou não pode ser lido',
  'another grant type than `client_credentials`': 'um tipo de concessão diferente de `client_credentials`',
  'a scope that the application does not have': 'um escopo que a aplicação não tem',
  'wrong credentials, or the certificate of another account': 'credenciais erradas, ou o certificado de outra conta',
  'the account has 20 random keys already': 'a conta já tem 20 chaves aleatórias',
  'the account has no such random key': 'a conta não tem esta chave aleatória',
  '`bloqueios` is neither `true` nor `false`': '`bloqueios` não é `true` nem `false`',
  'no setting, an unknown member, or a value of another type':
    'nenhuma configuração, um campo desconhecido, ou um valor de outro tipo',
  'no date before today, no record kind that is `true`, an unknown member; or the body is no JSON (strict: `json_invalido`)':
    'a data não é anterior a hoje, nenhum tipo de registro é `true`, um campo é desconhecido; ou o corpo não é JSON (strict: `json_invalido`)',
  'the account has no such statement': 'a conta não tem este extrato',
  'a check digit is wrong, the bill is of the sandbox, or the barcode is unknown':
    'um dígito verificador está errado, o boleto é do sandbox, ou o código de barras não é conhecido',
  '44 to 48 characters that are not all digits': 'de 44 a 48 caracteres que não são todos dígitos',
  'fewer than 44 or more than 48 characters': 'menos de 44 ou mais de 48 caracteres',
  'the barcode or the body is wrong, 1:9 was not called before, the amount is not what the bill takes, the bill is paid, the day is over, or the cut-off of today has passed':
    'o código de barras ou o corpo está errado, 1:9 não foi chamado antes, o boleto não aceita o valor, já foi pago, o dia já passou, ou o horário-limite de hoje já passou',
  'the account has no such payment': 'a conta não tem este pagamento',
  '`dataInicio` or `dataFim` is missing, they are in the wrong order, or are more than 365 days apart':
    'falta `dataInicio` ou `dataFim`, estão na ordem errada, ou têm mais de 365 dias entre si',
  'no CPF of eleven digits with right check digits': 'não é um CPF de onze dígitos com dígitos verificadores certos',
  'the registry says that the CPF is inactive': 'o cadastro diz que o CPF está inativo',
  'not two words of letters, or not the name that belongs to the CPF':
    'não são duas palavras de letras, ou não é o nome do CPF',
  '`nomeCompleto` is missing; other missing members likewise':
    'falta `nomeCompleto`; o mesmo vale para outros campos que faltam',
  'the person is younger than 18 years': 'a pessoa tem menos de 18 anos',
  'no date `DD/MM/YYYY`, one to come, one of 130 years ago, or not that of the CPF':
    'não é uma data `DD/MM/AAAA`, está no futuro, tem 130 anos, ou não é a do CPF',
  "not two words of letters, or not the mother's name that belongs to the CPF":
    'não são duas palavras de letras, ou não é o nome da mãe do CPF',
  'no mobile number of eleven digits': 'não é um celular de onze dígitos',
  'no mail address': 'não é um endereço de e-mail',
  'no postal code of eight digits': 'não é um CEP de oito dígitos',
  'no state; other wrong members likewise': 'não é um estado; o mesmo vale para outros campos errados',
  'no CNPJ with right check digits': 'não é um CNPJ com dígitos verificadores certos',
  'the registry says that the CNPJ is inactive': 'o cadastro diz que o CNPJ está inativo',
  'empty, too long, or not the name that belongs to the CNPJ': 'vazia, longa demais, ou não é o nome do CNPJ',
  'an unknown member': 'um campo desconhecido',
  "the integrator's application does not have a requested scope": 'a aplicação do integrador não tem um escopo pedido',
  'an opening for this person is under way': 'já há uma abertura em andamento para esta pessoa',
  'the person refused today or yesterday': 'a pessoa recusou hoje ou ontem',
  'the mobile number belongs to another person': 'o celular é de outra pessoa',
  'the mail address belongs to another person': 'o e-mail é de outra pessoa',
  'the account has no registration webhook yet': 'a conta ainda não tem um webhook de abertura de contas',
  'no opening of the account has this id': 'nenhuma abertura da conta tem este identificador',
  'the end client has not answered, or refused': 'o cliente final não respondeu, ou recusou',
  'the end client accepted, and the account is being opened': 'o cliente final aceitou, e a conta está sendo aberta',
  '`redirectURL` is missing': 'falta `redirectURL`',
  '`webhookURL` is missing': 'falta `webhookURL`',
  'the address accepts a caller without a certificate': 'o endereço aceita quem não apresenta certificado',
  'another member is wrong or unknown': 'outro campo está errado ou é desconhecido',
  '`redirectURL` is no URL': '`redirectURL` não é uma URL',
  'the address is not https, cannot be reached, or does not answer 2xx; a text that is no URL has this answer with `strict` too':
    'o endereço não é https, não pode ser alcançado, ou não responde 2xx; um texto que não é URL também recebe esta resposta com `strict`',
  '`webhookSecurity.type` is neither `mtls` nor `hmac`': '`webhookSecurity.type` não é `mtls` nem `hmac`',
  '`hmac` without `hash`, or a wrong one': '`hmac` sem `hash`, ou com um errado',
  'nothing is set yet': 'nada foi definido ainda',
  'no URL': 'não é uma URL',
  'the URL is not https': 'a URL não é https',
  'the request without a certificate was accepted': 'a requisição sem certificado foi aceita',
  'the address cannot be reached': 'o endereço não pode ser alcançado',
  'the host name does not resolve': 'o nome do host não existe no DNS',
  'no answer in time': 'nenhuma resposta a tempo',
  'the connection or the handshake with the certificate failed': 'a conexão ou o handshake com o certificado falhou',
  'the request with the certificate was not answered with 2xx, or the one without with 5xx':
    'a requisição com o certificado não recebeu 2xx, ou a sem certificado recebeu 5xx',
  'a move, `{"url","chave"}`: no webhook of the account has this id':
    'uma mudança, `{"url","chave"}`: nenhum webhook da conta tem este identificador',
  'the account registered this URL already': 'a conta já cadastrou esta URL',
  'no webhook of the account has this id': 'nenhum webhook da conta tem este identificador',
  'the period ends before it begins': 'o período termina antes de começar',
  'no time as ISO 8601, or no page': 'não é uma hora em ISO 8601, ou não é uma página',
  'no URL, or an unknown member': 'não é uma URL, ou há um campo desconhecido',
  '`dataInicio` or `dataFim` is missing or has another form than `YYYY-MM-DDThh:mm:ssZ`, or no page':
    'falta `dataInicio` ou `dataFim`, ou não tem a forma `YYYY-MM-DDThh:mm:ssZ`, ou não é uma página',
  'the account did not register this URL': 'a conta não cadastrou esta URL',
  'a member is missing, wrong or unknown, or the total is above 99999999.99':
    'um campo falta, está errado ou é desconhecido, ou o total passa de 99999999,99',
  'the account has no such charge': 'a conta não tem esta cobrança',
  'a member is missing, wrong or unknown, or `expire_at` is over':
    'um campo falta, está errado ou é desconhecido, ou `expire_at` já passou',
  'the charge has a payment method, or is no longer new': 'a cobrança tem uma forma de pagamento, ou não é mais nova',
  'not exactly one method, a wrong member, a due date that is over, or a card token that is unknown, used, or of a brand that is not taken':
    'não há exatamente uma forma, um campo está errado, o vencimento já passou, ou o token do cartão é desconhecido, foi usado, ou é de uma bandeira que não é aceita',
  'the charge is not new, or belongs to a subscription or a carnet':
    'a cobrança não é nova, ou pertence a uma assinatura ou a um carnê',
  'a member is missing, wrong or unknown': 'um campo falta, está errado ou é desconhecido',
  'the account has no such carnet': 'a conta não tem este carnê',
  'the account has no such notification token': 'a conta não tem este token de notificação',
  'the charge has no link, or its payment is confirmed': 'a cobrança não tem link, ou o seu pagamento está confirmado',
  'the charge is neither `new`, `waiting`, `unpaid` nor `link`':
    'a cobrança não é `new`, `waiting`, `unpaid` nem `link`',
  '`notification_url` or `custom_id` is wrong or too long, or an unknown member':
    '`notification_url` ou `custom_id` está errado ou é longo demais, ou há um campo desconhecido',
  '`description` is missing, empty or longer than 255 characters':
    '`description` falta, está vazio ou tem mais de 255 caracteres',
  '`name`, `interval` (1 to 24) or `repeats` (2 to 120, or null) is wrong':
    '`name`, `interval` (1 a 24) ou `repeats` (2 a 120, ou null) está errado',
  '`limit` or `offset` is no number': '`limit` ou `offset` não é um número',
  '`name` is missing, empty or longer than 255 characters': '`name` falta, está vazio ou tem mais de 255 caracteres',
  'the account has no such plan': 'a conta não tem este plano',
  'the account has no such subscription': 'a conta não tem esta assinatura',
  'the subscription is neither `new` nor `active`': 'a assinatura não é `new` nem `active`',
  'no member, or `notification_url` or `custom_id` is wrong':
    'nenhum campo, ou `notification_url` ou `custom_id` está errado',
  'as at `POST /v1/charge/:id/pay`': 'como em `POST /v1/charge/:id/pay`',
  'the subscription is not new, or its plan is deleted': 'a assinatura não é nova, ou o seu plano foi excluído',
}

/** Of the control API. */
const CONTROL: Readonly<Record<string, string>> = {
  'Blocked by a court, in cents': 'Bloqueado pela Justiça, em centavos',
  'Blocked by the dispute mechanism, in cents': 'Bloqueado pelo mecanismo de devolução, em centavos',
  'In cents, also of a debit greater than 0': 'Em centavos, maior que 0 também em um débito',
  'Default: the words of the kind': 'Se omitido, as palavras do tipo',
  'Id of the movement that a reversal or a refund gives back':
    'Identificador do movimento que um estorno ou uma devolução devolve',
  'In cents; 0: any amount': 'Em centavos; 0: qualquer valor',
  'Default: 7 days from now; null: none': 'Se omitido, daqui a 7 dias; null: nenhum',
  'The service answers as if it did not know the barcode':
    'O serviço responde como se não conhecesse o código de barras',
  'false: withdrawn by its issuer': 'false: retirado pelo emissor',
  'Last day of payment; default: 60 days after the due date':
    'Último dia de pagamento; se omitido, 60 dias após o vencimento',
  'Cents taken off in every case': 'Centavos abatidos em qualquer caso',
  'Once, when it is paid late': 'Uma vez, quando é pago com atraso',
  'In cents, or in hundredths of a percent': 'Em centavos, ou em centésimos de um por cento',
  'Cents for each day it is late, or a percentage for each 30 days':
    'Centavos por dia de atraso, ou uma porcentagem a cada 30 dias',
  'Up to and on a day': 'Até um dia, inclusive',
  'Bounds of other amounts that are accepted; null: none': 'Limites de outros valores aceitos; null: nenhum',
  'null: no partial payments': 'null: sem pagamentos parciais',
  'Of FEBRABAN’s layout, as 2 for water and sewage': 'Do leiaute da FEBRABAN, como 2 para água e esgoto',
  'Of its check digits': 'Dos seus dígitos verificadores',
  'false: cpf_inativo or cnpj_inativo': 'false: cpf_inativo ou cnpj_inativo',
  'Number of the account whose callback it is; default: the only one with settings':
    'Número da conta do callback; se omitido, a única com configurações',
  'Made up for rejeitado and expirado only': 'Inventado somente para rejeitado e expirado',
  'Made up for devolucao only': 'Inventado somente para devolucao',
  'The answer of the card’s bank': 'A resposta do banco do cartão',
  'Default: the first application': 'Se omitido, a primeira aplicação',
  'Cents of each charge': 'Centavos de cada cobrança',
  'credit_card: waiting at once, and paid 5 simulated seconds later, in production by confirmCardPayment':
    'credit_card: waiting de imediato, e paid 5 segundos simulados depois; em produção, por confirmCardPayment',
  'The text of the QR code: pix.qrcode of an answer': 'O texto do QR code: pix.qrcode de uma resposta',
  'Day of the payment; default: today': 'Dia do pagamento; se omitido, hoje',
  'Fingerprint of one certificate. Left out: all of the account':
    'Impressão digital de um certificado. Se omitida: todos os da conta',
  'A registered URL, or the notification_url of a charge. Left out: all that the other members choose':
    'Uma URL cadastrada, ou a notification_url de uma cobrança. Se omitida: todas as que os outros campos escolhem',
  'Left out: all but charges, unless `url` names the address of a charge':
    'Se omitido: todas menos charges, a não ser que `url` seja o endereço de uma cobrança',
  'Number of the account that registered the URL': 'Número da conta que cadastrou a URL',
  'Any value, sent as JSON': 'Qualquer valor, enviado como JSON',
  'Sent unchanged, as UTF-8': 'Enviado sem alteração, em UTF-8',
  'Bytes that are sent unchanged': 'Bytes que são enviados sem alteração',
  'Left out: every interface': 'Se omitido: todas as interfaces',
  'How many calls it changes; null: all. Default: 1, with a probability all':
    'Quantas chamadas altera; null: todas. Se omitido, 1; com uma probabilidade, todas',
  'Changes a call by chance. Left out: every call': 'Altera uma chamada ao acaso. Se omitido: todas as chamadas',
  'The same seed changes the same calls of a sequence': 'A mesma semente altera as mesmas chamadas de uma sequência',
  'Text that the URL of the callback contains': 'Texto que a URL do callback contém',
  'Takes no answer, and counts as not answered in time': 'Não recebe resposta, e conta como não respondida a tempo',
  'Real time from the last byte of the request to the end': 'Tempo real do último byte da requisição até o fim',
  'Takes the answer, which counts as too late: the callback comes again':
    'Recebe a resposta, que conta como atrasada: o callback vem de novo',
  'Sends the same bytes again': 'Envia os mesmos bytes de novo',
  'Sends a callback after the next one to the same URL': 'Envia um callback depois do próximo à mesma URL',
  'Simulated seconds after which a waiting callback is sent anyway':
    'Segundos simulados após os quais um callback que espera é enviado assim mesmo',
  'Sends several callbacks to the same URL as one call': 'Envia vários callbacks à mesma URL em uma só chamada',
  'Member that holds the facts; null: a root array': 'Campo que contém os fatos; null: uma lista na raiz',
  'Sends the callback again with the same id and other content':
    'Envia o callback de novo com o mesmo identificador e outro conteúdo',
  'JSON merge patch (RFC 7396) of the repeat. Left out: `valor` is 0.01 more, or a member `repeticao`':
    'JSON merge patch (RFC 7396) da repetição. Se omitido: `valor` tem 0,01 a mais, ou há um campo `repeticao`',
  'Never sends the callback': 'Nunca envia o callback',
  '`rotated`: of an issuing certificate that is not published. `none`: shows no certificate':
    '`rotated`: de um certificado emissor que não foi publicado. `none`: não apresenta certificado',
  'Sends no SNI': 'Não envia SNI',
  'Offers TLS 1.2 only': 'Oferece somente TLS 1.2',
  'Appends a text to the registered URL, also behind its query':
    'Acrescenta um texto à URL cadastrada, também depois da query',
  'Sends the body in pieces': 'Envia o corpo em pedaços',
  'Real time from its first to its last piece': 'Tempo real do primeiro ao último pedaço',
  'Text that the path of the request contains, with its query': 'Texto que o caminho da requisição contém, com a query',
  'Neither carries the request out nor answers it': 'Não executa a requisição nem a responde',
  'Real time after which the connection is closed': 'Tempo real após o qual a conexão é encerrada',
  'Carries the request out and answers later': 'Executa a requisição e responde depois',
  'Closes the connection; the request is not carried out': 'Encerra a conexão; a requisição não é executada',
  'Carries the request out and closes the connection, no answer':
    'Executa a requisição e encerra a conexão, sem resposta',
  'Carries the request out and closes the connection within the answer’s body':
    'Executa a requisição e encerra a conexão no meio do corpo da resposta',
  'Carries the request out and sends the answer’s body in pieces':
    'Executa a requisição e envia o corpo da resposta em pedaços',
  'Carries the request out and answers its status with another body':
    'Executa a requisição e responde o seu status com outro corpo',
  'Default: JSON without its end': 'Se omitido: JSON sem o fim',
  'Answers 429 with Retry-After': 'Responde 429 com Retry-After',
  Seconds: 'Segundos',
  'Answers 200 with a page in HTML; the request is not carried out':
    'Responde 200 com uma página em HTML; a requisição não é executada',
  'Ends the access token of the request, which is answered 401':
    'Encerra o token de acesso da requisição, que recebe 401',
  'Where callbacks of payments go': 'Para onde vão os callbacks de pagamentos',
  'Where callbacks of account openings go': 'Para onde vão os callbacks de abertura de contas',
  'Where notifications of charges go; null: unknown': 'Para onde vão as notificações de cobranças; null: não se sabe',
  'Base address of its API on this machine; null: what arrived is not asked for':
    'Endereço da sua API nesta máquina; null: não se pergunta o que chegou',
  'Its pages': 'As suas páginas',
  "The operator's token of its API; it is shown nowhere":
    'O token do operador da sua API; não é mostrado em lugar nenhum',
}

/** English texts of schemas and tables in Portuguese, by themselves. */
export const PORTUGUESE: Readonly<Record<string, string>> = { ...DOCUMENTS, ...CODES, ...CONTROL }
