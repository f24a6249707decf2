import type { Texts } from '../translator.ts'

/** Operations of the simulator's control API, as `simulator ctl operations` lists them. */
export const OPERATIONS: Texts = {
  'Show the simulated time': 'Mostra a hora simulada',
  'Set the simulated time; work that is due until then is done on the way':
    'Acerta a hora simulada; o que vence até lá é feito no caminho',
  'Move the simulated time forward; work that is due until then is done on the way':
    'Adianta a hora simulada; o que vence até lá é feito no caminho',
  'Show an account with its balance, certificates, applications and webhooks, and what comes next and when':
    'Mostra uma conta com saldo, certificados, aplicativos e webhooks, e o que vem a seguir e quando',
  'Show the balance of an account, and how much of it payments can take':
    'Mostra o saldo de uma conta, e quanto dele os pagamentos podem usar',
  'Set the balance of an account, by one movement of the difference':
    'Define o saldo de uma conta, com um movimento da diferença',
  'Show the blocked amounts of an account': 'Mostra os valores bloqueados de uma conta',
  'Block amounts of an account in place of those that were blocked; {} blocks nothing':
    'Bloqueia valores de uma conta no lugar dos que estavam bloqueados; {} não bloqueia nada',
  'Write a movement into the ledger of an account: received, sent, refund, fee, transfer or a reversal':
    'Registra um movimento no extrato de uma conta: received, sent, refund, fee, transfer ou um estorno',
  'List the movements of an account; the newest `limit` of them, oldest first':
    'Lista os movimentos de uma conta; os `limit` mais recentes, os mais antigos primeiro',
  'List the applications: those of the folder, then those of opened accounts':
    'Lista os aplicativos: os da pasta, depois os das contas abertas',
  'Set the scopes of an application; its tokens keep theirs until they expire':
    'Define os escopos de um aplicativo; os tokens dele mantêm os seus até vencerem',
  'List the messages that payers and end clients would receive, oldest first':
    'Lista as mensagens que pagadores e clientes finais receberiam, as mais antigas primeiro',
  'Make a billet, or the bill of a utility or tax, with its barcode and typeable line':
    'Cria um boleto, uma conta de consumo ou um tributo, com código de barras e linha digitável',
  'List the bills that the control API made or changed, with their payments':
    'Lista os boletos que a API de controle criou ou alterou, com os pagamentos',
  'Change what the service knows of a bill, of any barcode or typeable line':
    'Altera o que o serviço sabe de um boleto, com qualquer código de barras ou linha digitável',
  'Show the bill of a barcode or typeable line: terms, payments with their states, and what comes next and when':
    'Mostra o boleto de um código de barras ou linha digitável: condições, pagamentos com os estados, e o que vem a seguir e quando',
  'List the payments of bills of all accounts': 'Lista os pagamentos de boletos de todas as contas',
  'Cancel a scheduled payment of a bill': 'Cancela um pagamento agendado de um boleto',
  'Let a payment of a bill fail; an amount that was taken goes back to the account':
    'Faz um pagamento de boleto falhar; um valor já debitado volta à conta',
  'Make every step of a payment of a bill that is left, at once; without enough balance it fails':
    'Faz de uma vez todas as etapas que faltam de um pagamento de boleto; sem saldo suficiente, ele falha',
  'List the account openings, oldest first': 'Lista as aberturas de conta, as mais antigas primeiro',
  'Accept an opening as its end client; the account is there a minute of simulated time later':
    'Aceita uma abertura como o cliente final; a conta existe um minuto simulado depois',
  'Refuse an opening as its end client': 'Recusa uma abertura como o cliente final',
  'List what the public registry knows of tax ids; every other one is active and fits every request':
    'Lista o que o cadastro público sabe de CPFs e CNPJs; todos os outros estão ativos e combinam com qualquer requisição',
  'Set what the public registry knows of a CPF or CNPJ': 'Define o que o cadastro público sabe de um CPF ou CNPJ',
  'Let a CPF or CNPJ be active and fit every request again':
    'Faz um CPF ou CNPJ voltar a ser ativo e combinar com qualquer requisição',
  'Send a callback of the open-banking interface; members that are left out are made up':
    'Envia um callback da interface de open banking; os campos omitidos são inventados',
  'Make a card token that can be used once; brands that the service refuses can be made too':
    'Cria um token de cartão que pode ser usado uma vez; também de bandeiras que o serviço recusa',
  'List the charges of all accounts': 'Lista as cobranças de todas as contas',
  'Create many charges at once, as requests of an application would, with their notifications':
    'Cria muitas cobranças de uma vez, como fariam requisições de um aplicativo, com as notificações',
  'Show a charge with its history, and what comes next and when':
    'Mostra uma cobrança com o histórico, e o que vem a seguir e quando',
  'Choose how an application gets notifications of its charges: JSON entries or a token to fetch them':
    'Escolhe como um aplicativo recebe as notificações das suas cobranças: itens JSON ou um token para consultá-los',
  'Pay the billet of a charge in production; the billet of a cancelled charge only at a bank agency':
    'Paga o boleto de uma cobrança em produção; o de uma cobrança cancelada, só em uma agência bancária',
  'Print the billet of a charge, so that it can be paid at a bank agency after a cancellation':
    'Imprime o boleto de uma cobrança, para que possa ser pago em uma agência bancária depois de um cancelamento',
  'Confirm a card payment that waits, which in production nothing else does':
    'Confirma um pagamento com cartão em espera, o que em produção nada mais faz',
  'Refuse a card payment that waits': 'Recusa um pagamento com cartão em espera',
  'Let a payment link expire, or the due date of a billet pass, before its time':
    'Faz um link de pagamento expirar, ou o vencimento de um boleto passar, antes da hora',
  'Switch on instant-payment codes on the billets that an account makes from now on; without a key it gets one':
    'Liga os códigos de pagamento instantâneo nos próximos boletos de uma conta; sem chave, ela recebe uma',
  'Pay the instant-payment code of a billet, in production':
    'Paga o código de pagamento instantâneo de um boleto, em produção',
  'List the subscriptions of all accounts': 'Lista as assinaturas de todas as contas',
  'Show a subscription with its charges, its history, and what comes next and when':
    'Mostra uma assinatura com as cobranças, o histórico, e o que vem a seguir e quando',
  'List the carnets of all accounts': 'Lista os carnês de todas as contas',
  'Show a carnet with its parcels, its history, and what comes next and when':
    'Mostra um carnê com as parcelas, o histórico, e o que vem a seguir e quando',
  'Remove all records, faults and tokens of the environment; without one of both, and the simulated time is real again. Files of the folder stay':
    'Remove todos os registros, falhas e tokens do ambiente; sem ambiente, dos dois, e a hora simulada volta a ser a real. Os arquivos da pasta ficam',
  'End all access tokens of the environment at once, or those of one application; without one, of both':
    'Encerra de uma vez todos os tokens de acesso do ambiente, ou os de um aplicativo; sem ambiente, dos dois',
  'Refuse the certificates of an account, as if they were revoked, or accept them again':
    'Recusa os certificados de uma conta, como se fossem revogados, ou os aceita de novo',
  'Show the published chain and the client certificate of callbacks, of both environments or of one':
    'Mostra a cadeia publicada e o certificado de cliente dos callbacks, dos dois ambientes ou de um',
  'Publish a chain with a new issuing certificate; callbacks show the old certificate until activateChain':
    'Publica uma cadeia com um novo certificado emissor; os callbacks apresentam o certificado antigo até activateChain',
  'Show a certificate of the published chain from the next callback on':
    'Apresenta um certificado da cadeia publicada a partir do próximo callback',
  'List callbacks with every attempt: request, response and timing; the newest `limit` of them, oldest first':
    'Lista callbacks com cada tentativa: requisição, resposta e tempos; os `limit` mais recentes, os mais antigos primeiro',
  'Send a body of any kind to a registered URL, with the retries of a callback':
    'Envia um corpo qualquer a uma URL cadastrada, com as novas tentativas de um callback',
  'Show a callback with every attempt': 'Mostra um callback com cada tentativa',
  'List the registered URLs': 'Lista as URLs cadastradas',
  'Order a fault of the next callbacks, or of the next requests to the API':
    'Pede uma falha dos próximos callbacks, ou das próximas requisições à API',
  'List the ordered faults and what they have done': 'Lista as falhas pedidas e o que elas fizeram',
  'Delete all faults of the environment; without one, of both':
    'Exclui todas as falhas do ambiente; sem ambiente, dos dois',
  'Delete a fault': 'Exclui uma falha',
  'Show the local gateway, to which the playground sends a first payment':
    'Mostra o gateway local, ao qual o playground envia um primeiro pagamento',
  'Set the local gateway, to which the playground sends a first payment; a restart forgets it':
    'Define o gateway local, ao qual o playground envia um primeiro pagamento; um reinício o esquece',
}
