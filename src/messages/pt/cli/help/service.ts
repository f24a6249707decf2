import type { Texts } from '../../../translator.ts'

/** Help of `service`. */
export const SERVICE_HELP: Texts = {
  'Register addresses at the service, see whether it accepts this gateway as its client, and ask it for what was missed':
    'Cadastra endereços no serviço, verifica se ele aceita este gateway como cliente e pergunta a ele o que faltou',
  'Show whether the service accepts credentials and certificate, the budget left, and tokens that wait':
    'Mostra se o serviço aceita as credenciais e o certificado, a cota restante e os tokens que esperam',
  'print one JSON object per environment and institution': 'imprime um objeto JSON por ambiente e instituição',
  'time limit for the answers of the service': 'tempo limite das respostas do serviço',
  'Make the running gateway ask the service for what callbacks did not tell':
    'Faz o gateway em execução perguntar ao serviço o que os callbacks não disseram',
  'ask only for subjects that became known since then: a date such as 2026-11-22, or an age such as 7d':
    'pergunta só por assuntos conhecidos desde então: uma data como 2026-11-22, ou uma idade como 7d',
  'ask, and spend budget, but store nothing': 'pergunta, e consome a cota, mas não grava nada',
  'Tell the gateway of ids that apps created, so that the service is asked for those that stay silent':
    'Informa ao gateway os IDs que os aplicativos criaram, para que o serviço seja consultado sobre os que ficam em silêncio',
  'CSV with the header kind,environment,subject, and optional type and institution':
    'CSV com o cabeçalho kind,environment,subject e, opcionalmente, type e institution',
  'List by day what was received, asked for at the service, and missed: "what cannot be known?"':
    'Lista por dia o que foi recebido, perguntado ao serviço e perdido: "o que não se pode saber?"',
  'from this UTC day on, such as 2026-11-22, or an age such as 7d':
    'a partir deste dia UTC, por exemplo 2026-11-22, ou uma idade como 7d',
  'Manage the callback addresses that the service has registered':
    'Gerencia os endereços de callback que o serviço tem cadastrados',
  'List the addresses that the service calls, and whether they lead to this gateway':
    'Lista os endereços que o serviço chama, e se levam a este gateway',
  'environment of the service: production or sandbox (or homologacao, producao)':
    'ambiente do serviço: production ou sandbox (ou homologacao, producao)',
  'interface of the service': 'interface do serviço',
  'Register the address of this gateway at the service, after the checks of check --url':
    'Cadastra no serviço o endereço deste gateway, depois das verificações de check --url',
  'show what would change, and change nothing': 'mostra o que mudaria, e não altera nada',
  'kind whose path is registered (default: the one with the name of the interface)':
    'tipo cujo caminho é cadastrado (padrão: o que tem o nome da interface)',
  'text behind the path, one of the suffixes': 'texto depois do caminho, um dos sufixos',
  'query behind the path, such as x=': 'query depois do caminho, por exemplo x=',
  'file with the query, in place of --query: for a query with a secret':
    'arquivo com a query, no lugar de --query: para uma query com um segredo',
  'address of somebody else to delete as soon as the service has the new one':
    'endereço de terceiros a excluir assim que o serviço tiver o novo',
  'client certificate to check the address with, PEM, as for check --url':
    'certificado de cliente com que verificar o endereço, PEM, como em check --url',
  'time limit of each request of the check': 'tempo limite de cada requisição da verificação',
  'Delete the addresses of this gateway at the service; addresses of others stay':
    'Exclui no serviço os endereços deste gateway; os de terceiros permanecem',
  'kind of the addresses (default: the one with the name of the interface)':
    'tipo dos endereços (padrão: o que tem o nome da interface)',
  'delete this address in place of those of the gateway': 'exclui este endereço em vez dos do gateway',
  'Show and set the addresses of open banking at the service':
    'Mostra e define no serviço os endereços de open banking',
  'Show the settings of open banking at the service, and whether the account can receive such payments':
    'Mostra as configurações de open banking no serviço, e se a conta pode receber esses pagamentos',
  'Set the addresses of open banking at the service; replaces all settings':
    'Define no serviço os endereços de open banking; substitui todas as configurações',
  'where payers return to (default: the address that is set)':
    'para onde os pagadores voltam (padrão: o endereço já definido)',
  'address of callbacks (default: callbacks.publicUrl and the path of the kind)':
    'endereço dos callbacks (padrão: callbacks.publicUrl e o caminho do tipo)',
  'kind whose path is registered': 'tipo cujo caminho é cadastrado',
  'how the service proves itself': 'como o serviço prova a sua identidade',
  'with --security hmac: file with the hash that the service sends back':
    'com --security hmac: arquivo com o hash que o serviço envia de volta',
  'how payments are processed': 'como os pagamentos são processados',
  'address of somebody else that the service has and that may be replaced':
    'endereço de terceiros que o serviço tem e que pode ser substituído',
  'Change charges at the service': 'Altera cobranças no serviço',
  'Set the notification_url of charges at the service to the address of this gateway':
    'Define no serviço a notification_url das cobranças com o endereço deste gateway',
  'id of the charge': 'ID da cobrança',
  'CSV with ids in the column charge_id, or in the first one': 'CSV com IDs na coluna charge_id, ou na primeira',
  'every charge that a stored event names and that has another address':
    'todas as cobranças que um evento gravado indica e que têm outro endereço',
  'address to set (default: that of the charge listener, with its last token)':
    'endereço a definir (padrão: o do listener de cobranças, com o último token dele)',
  'change only records whose address begins with this': 'altera só registros cujo endereço começa com isto',
  'most requests per second': 'máximo de requisições por segundo',
  'file with the outcome of each id, JSON Lines; a further run skips finished ids':
    'arquivo com o resultado de cada ID, JSON Lines; outra execução pula os IDs concluídos',
  'print one JSON object per id, then the totals': 'imprime um objeto JSON por ID e, por fim, os totais',
  'Change subscriptions at the service': 'Altera assinaturas no serviço',
  'Set the notification_url of subscriptions at the service, for all their charges, or their custom_id':
    'Define no serviço a notification_url das assinaturas, para todas as suas cobranças, ou o seu custom_id',
  'id of the subscription': 'ID da assinatura',
  'CSV with ids in the column subscription_id, or in the first one':
    'CSV com IDs na coluna subscription_id, ou na primeira',
  'every subscription that a stored event names and that has another address':
    'todas as assinaturas que um evento gravado indica e que têm outro endereço',
  'with one id: its custom_id; without --url only this is changed':
    'com um só ID: o seu custom_id; sem --url só ele é alterado',
}
