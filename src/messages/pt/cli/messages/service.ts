import type { Texts } from '../../../translator.ts'

/** Commands that call the service. */
export const SERVICE_MESSAGES: Texts = {
  'the check of {url} found a problem: nothing was changed at the service':
    'a verificação de {url} encontrou um problema: nada foi alterado no serviço',
  'the check of {url} found {count} problems: nothing was changed at the service':
    'a verificação de {url} encontrou {count} problemas: nada foi alterado no serviço',
  'no chain of the service is installed for {realm}: the gateway would refuse its callbacks. Install it first: {command} certs trust stage FILE {realm}, then certs trust activate':
    'nenhuma cadeia do serviço está instalada para {realm}: o gateway recusaria os callbacks dele. Instale-a antes: {command} certs trust stage ARQUIVO {realm}, e depois certs trust activate',
  '{file} has no entry for {environment} under {service}: add one as config/portaria.yaml shows it':
    '{file} não tem entrada para {environment} em {service}: inclua uma como em config/portaria.yaml',
  '{message}; {expected} of {total} were taken: run the command again, it takes each once':
    '{message}; {expected} de {total} foram aceitos: execute o comando de novo, ele aceita cada um uma só vez',
  '{file} has no line below its header: nothing was taken':
    '{file} não tem linhas abaixo do cabeçalho: nada foi aceito',
  '{file}, line 1: the header must be kind,environment,subject, and may also have type and institution; nothing was taken':
    '{file}, linha 1: o cabeçalho deve ser kind,environment,subject, e pode ter também type e institution; nada foi aceito',
  '{file} has a wrong line; nothing was taken': '{file} tem uma linha errada; nada foi aceito',
  '{file} has {count} wrong lines; nothing was taken': '{file} tem {count} linhas erradas; nada foi aceito',
  'no events, and no gaps': 'nenhum evento e nenhuma lacuna',
  '{file} has no id: write one per line': '{file} não tem nenhum ID: escreva um por linha',
  '{id} is not an id: give the digits that the service uses': '{id} não é um ID: informe os dígitos que o serviço usa',
  '{file} has lines without a numeric id; nothing was changed':
    '{file} tem linhas sem um ID numérico; nada foi alterado',
  '--report {file} cannot be read: {cause}': '--report {file} não pode ser lido: {cause}',
  '--report {file} holds something else: name a new file, or a report':
    '--report {file} contém outra coisa: informe um arquivo novo, ou um relatório',
  '--report {file} is a link to a missing file: name the file itself':
    '--report {file} é um link para um arquivo que não existe: informe o próprio arquivo',
  'another run writes the report {file}: wait until it has ended, or name another file with other ids':
    'outra execução grava o relatório {file}: espere que ela termine, ou informe outro arquivo com outros IDs',
  '--report {file} cannot be locked ({cause}): {file}.lock is made beside it, so name a file in a folder where this user may write':
    '--report {file} não pode ser travado ({cause}): {file}.lock é criado ao lado dele; informe um arquivo em uma pasta em que este usuário possa gravar',
  'give one id, --file FILE or --all': 'informe um ID, --file ARQUIVO ou --all',
  '--custom-id is for one id: the same text for many would not identify them':
    '--custom-id vale para um só ID: o mesmo texto para vários não os identificaria',
  '--custom-id takes 1 to 255 letters, digits, spaces, "_" and "-"':
    '--custom-id aceita de 1 a 255 letras, dígitos, espaços, "_" e "-"',
  '--url takes an address that begins with http:// or https://, of at most 255 characters':
    '--url aceita um endereço que começa com http:// ou https://, de até 255 caracteres',
  '--old-url takes the beginning of an address': '--old-url aceita o começo de um endereço',
  '{seen} of {total}': '{seen} de {total}',
  '{seen} of {total}, {count} failed': '{seen} de {total}, {count} falharam',
  'It must be a number of requests per second above 0, such as 5 or 0.5.':
    'Deve ser um número de requisições por segundo acima de 0, por exemplo 5 ou 0.5.',
  'nothing is set yet: give --redirect-url, where payers return to':
    'nada está definido ainda: informe --redirect-url, para onde os pagadores voltam',
  'the service has the address {url}, which is not of this gateway: nothing was changed. To replace it, add --replace {url}':
    'o serviço tem o endereço {url}, que não é deste gateway: nada foi alterado. Para substituí-lo, use --replace {url}',
  'the service accepted the settings, but shows others: repeat, or ask the service':
    'o serviço aceitou as configurações, mas mostra outras: repita, ou pergunte ao serviço',
  '--hash-file is for --security hmac': '--hash-file vale com --security hmac',
  '--security hmac needs --hash-file': '--security hmac precisa de --hash-file',
  'warning: this listener refuses callers without a client certificate, with hmac too: the service must show its own. To do without, make the hash a token of chargeNotifications.pathTokens, and name the address of that listener with --webhook-url':
    'aviso: este listener recusa chamadores sem certificado de cliente, também com hmac: o serviço precisa apresentar o dele. Para dispensá-lo, faça do hash um token de chargeNotifications.pathTokens e informe o endereço desse listener com --webhook-url',
  '{message}. It is unknown whether the service has made the change: ask it (list or show), or repeat the command':
    '{message}. Não se sabe se o serviço fez a alteração: consulte-o (list ou show), ou repita o comando',
  'nothing was changed at the service': 'nada foi alterado no serviço',
  '--suffix {suffix} is not in {suffixes}, which has {names}: the gateway would answer 404':
    '--suffix {suffix} não está em {suffixes}, que tem {names}: o gateway responderia 404',
  '--suffix {suffix} is not in {suffixes}, which is empty: the gateway would answer 404':
    '--suffix {suffix} não está em {suffixes}, que está vazio: o gateway responderia 404',
  'the query has a character that a URL cannot have there: percent-encode it':
    'a query tem um caractere que não é permitido ali em uma URL: use a codificação com %',
  '{url} is not a URL: correct callbacks.publicUrl, --suffix or the query':
    '{url} não é uma URL: corrija callbacks.publicUrl, --suffix ou a query',
  '{asked} of {planned} questions, {found} found': '{asked} de {planned} perguntas, {found} encontrados',
  'another run goes on since {time}: this is its outcome':
    'outra execução está em andamento desde {time}: este é o resultado dela',
  'the gateway stopped, or began another run: the outcome of this one is unknown':
    'o gateway parou, ou começou outra execução: o resultado desta é desconhecido',
  'no gateway runs with the database {database}, and only a running one asks the service: start it ({command} serve)':
    'nenhum gateway está em execução com o banco de dados {database}, e só um em execução consulta o serviço: inicie-o ({command} serve)',
  'the running gateway has no entry for {environment} under {service} yet: {command} reload':
    'o gateway em execução ainda não tem entrada para {environment} em {service}: {command} reload',
  'interfaces that the gateway has not called were not tried: this command cannot read the client secret':
    'interfaces que o gateway não chamou não foram testadas: este comando não pode ler o segredo do cliente',
  '{text}. Look at the list, and ask the service': '{text}. Veja a lista, e pergunte ao serviço',
  'give --query or --query-file, not both': 'informe --query ou --query-file, não as duas',
  '--replace {replace} is the address that is registered: leave it out':
    '--replace {replace} é o endereço já cadastrado: retire-o',
  '--replace {replace}: the service does not have this address; it has none':
    '--replace {replace}: o serviço não tem este endereço; não tem nenhum',
  '--replace {replace}: the service does not have this address; it has {names}':
    '--replace {replace}: o serviço não tem este endereço; tem {names}',
  'the service has no address of this gateway (kind {kind}); it has none':
    'o serviço não tem nenhum endereço deste gateway (tipo {kind}); não tem nenhum',
  'the service has no address of this gateway (kind {kind}); it has none; to delete one of these, name it with --url':
    'o serviço não tem nenhum endereço deste gateway (tipo {kind}); não tem nenhum; para excluir um destes, informe-o com --url',
  'the service has no address of this gateway (kind {kind}); it has {names}':
    'o serviço não tem nenhum endereço deste gateway (tipo {kind}); tem {names}',
  'the service has no address of this gateway (kind {kind}); it has {names}; to delete one of these, name it with --url':
    'o serviço não tem nenhum endereço deste gateway (tipo {kind}); tem {names}; para excluir um destes, informe-o com --url',
  'the service has no address {url}; it has none': 'o serviço não tem o endereço {url}; não tem nenhum',
  'the service has no address {url}; it has none; to delete one of these, name it with --url':
    'o serviço não tem o endereço {url}; não tem nenhum; para excluir um destes, informe-o com --url',
  'the service has no address {url}; it has {names}': 'o serviço não tem o endereço {url}; tem {names}',
  'the service has no address {url}; it has {names}; to delete one of these, name it with --url':
    'o serviço não tem o endereço {url}; tem {names}; para excluir um destes, informe-o com --url',
  'the service has no address; register one with: {command} service webhooks create':
    'o serviço não tem nenhum endereço; cadastre um com: {command} service webhooks create',
  '{file} has no kind {name} under {kinds}: add it with its path, or name one of {names}':
    '{file} não tem o tipo {name} em {kinds}: inclua-o com o seu caminho, ou informe um destes: {names}',

  '{count} that wait or were refused': '{count} que esperam ou foram recusadas',
  '{count} waiting': '{count} à espera',
  'forwarded as they come': 'encaminhados como chegam',
  '{count} earlier ones wait for their entries': '{count} anteriores esperam os seus itens',
  'unlimited, {used} taken': 'sem limite, {used} usadas',
  '{left} of {limit} left today, {used} taken': 'restam {left} de {limit} hoje, {used} usadas',
}
