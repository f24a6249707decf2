import type { Texts } from '../../../translator.ts'

/** Help of the commands that run, set up and inspect a gateway, and of the options that many commands share. */
export const RUNNING_HELP: Texts = {
  'Run a gateway and the simulated service together, to try both in a browser; never for production':
    'Executa um gateway e o serviço simulado juntos, para testar os dois em um navegador; nunca em produção',
  'keep everything in this folder (default: a temporary one, which is removed)':
    'guarda tudo nesta pasta (padrão: uma temporária, que é removida)',
  'take any free ports (default: 8443, 8444, 8080 and 9443 to 9445)':
    'usa quaisquer portas livres (padrão: 8443, 8444, 8080 e 9443 a 9445)',
  'print one JSON object when both have started': 'imprime um objeto JSON quando os dois tiverem iniciado',
  'Run a simulated service, to try and test everything without a contract; never for production':
    'Executa um serviço simulado, para testar tudo sem contrato; nunca em produção',
  "Try the service's rules on any receiver of callbacks, and report what it does wrong and how to mend it":
    'Testa as regras do serviço em qualquer receptor de callbacks, e informa o que ele faz de errado e como corrigir',
  'Send a callback as the payment service does, with a test certificate, and judge the answer':
    'Envia um callback como o serviço de pagamentos, com um certificado de teste, e avalia a resposta',
  'Receives the callbacks of a payment institution over mutual TLS, stores them durably, and forwards them.':
    'Recebe por TLS mútuo os callbacks de uma instituição de pagamento, grava-os de forma durável e os encaminha.',
  'configuration file, for the command that follows': 'arquivo de configuração, para o comando seguinte',
  'say on standard error which configuration file is used':
    'mostra na saída de erro qual arquivo de configuração é usado',
  'the gateway of this profile, by its API (login makes it; or PORTARIA_PROFILE)':
    'o gateway deste perfil, pela API dele (login cria o perfil; ou PORTARIA_PROFILE)',
  'the gateway of this API, https://HOST:PORT; with --token-file':
    'o gateway desta API, https://HOST:PORTA; com --token-file',
  'with --api: file with the bearer token': 'com --api: arquivo com o token de portador (bearer)',
  'with --api: authorities of its certificate, PEM (default: the public ones)':
    'com --api: autoridades do certificado dela, PEM (padrão: as públicas)',
  'with --api: client certificate, PEM, full chain': 'com --api: certificado de cliente, PEM, cadeia completa',
  'with --api: private key of the client certificate, PEM': 'com --api: chave privada do certificado de cliente, PEM',
  'no colors in a terminal, as NO_COLOR': 'sem cores no terminal, como NO_COLOR',
  'language of help and messages (default: of LC_ALL, LC_MESSAGES or LANG)':
    'idioma da ajuda e das mensagens (padrão: o de LC_ALL, LC_MESSAGES ou LANG)',
  'Run the gateway until SIGTERM or SIGINT': 'Executa o gateway até SIGTERM ou SIGINT',
  'configuration file (default: PORTARIA_CONFIG, else that of this installation or clone)':
    'arquivo de configuração (padrão: PORTARIA_CONFIG, senão o desta instalação ou deste clone)',
  'form of log lines (default: text in a terminal, json elsewhere)':
    'formato das linhas do log (padrão: texto em um terminal, json fora dele)',
  'Make the running gateway read its configuration file again. With a mistake in the file nothing changes; a certificate, chain or secret that cannot be used holds nothing else back':
    'Faz o gateway em execução ler de novo o arquivo de configuração. Com um erro no arquivo, nada muda; um certificado, uma cadeia ou um segredo que não pode ser usado não impede o resto',
  'print one JSON object': 'imprime um objeto JSON',
  'print one JSON object, as GET /v1/gaps answers': 'imprime um objeto JSON, como a resposta de GET /v1/gaps',
  'Write a production configuration and its folders, and list what you still have to supply; overwrites nothing':
    'Cria uma configuração de produção e as pastas dela, e lista o que você ainda precisa fornecer; não sobrescreve nada',
  'folder for configuration, certificates and secrets, such as /etc/portaria (default, in a container: /etc/portaria)':
    'pasta da configuração, dos certificados e dos segredos, por exemplo /etc/portaria (padrão, em um contêiner: /etc/portaria)',
  'DNS name under which the service calls this machine (default: asked on the terminal)':
    'nome DNS pelo qual o serviço chama esta máquina (padrão: perguntado no terminal)',
  'address to listen on for callbacks (default: 0.0.0.0)':
    'endereço em que os callbacks são recebidos (padrão: 0.0.0.0)',
  'port of the callback listener (default: 8443)': 'porta em que os callbacks são recebidos (padrão: 8443)',
  'port that the service calls, if it is redirected to the callback port (default: the same)':
    'porta que o serviço chama, se ela é redirecionada à porta dos callbacks (padrão: a mesma)',
  'port of the private API, on loopback (default: 8080)': 'porta da API privada, em loopback (padrão: 8080)',
  'production, sandbox or both (default: production,sandbox)':
    'production, sandbox ou ambos (padrão: production,sandbox)',
  'names, or name=/path, or none beside --institution (default: registration,payment)':
    'nomes, ou nome=/caminho, ou none com --institution (padrão: registration,payment)',
  'another institution with an account of yours: a name such as bank-a, or bank-a:PRESET ({presets}); may be repeated':
    'outra instituição em que você tem conta: um nome como bank-a, ou bank-a:MODELO ({presets}); pode ser repetida',
  'receive charge callbacks, which come without a client certificate, on this port':
    'recebe nesta porta os callbacks de cobranças, que vêm sem certificado de cliente',
  'allow destinations on this machine, such as http://localhost:3000 (default: asked on the terminal, otherwise no)':
    'permite destinos nesta máquina, por exemplo http://localhost:3000 (padrão: perguntado no terminal, senão não)',
  'folder of the database (default: DIR/data; in a container: /data)':
    'pasta do banco de dados (padrão: DIR/data; em um contêiner: /data)',
  'language of NEXT-STEPS.md (default: that of LC_ALL, LC_MESSAGES or LANG)':
    'idioma de NEXT-STEPS.md (padrão: o de LC_ALL, LC_MESSAGES ou LANG)',
  'Show what the gateway does: a short tour on this machine that leaves nothing behind':
    'Mostra o que o gateway faz: uma demonstração curta nesta máquina, que não deixa nada para trás',
  'print one JSON object per step, then one with the counts':
    'imprime um objeto JSON por passo e, no fim, um com as contagens',
  'Make the two test requests of the payment service: without a client certificate (must be refused), and with one (must get 2xx)':
    'Faz as duas requisições de teste do serviço de pagamentos: sem certificado de cliente (deve ser recusada) e com um (deve receber 2xx)',
  'https://HOST:PORT/PATH of the server': 'https://HOST:PORTA/CAMINHO do servidor',
  'client certificate, PEM, full chain': 'certificado de cliente, PEM, cadeia completa',
  'private key of the client certificate, PEM': 'chave privada do certificado de cliente, PEM',
  'CA certificates for checking the server certificate, PEM (default: the public ones)':
    'certificados de AC para verificar o certificado do servidor, PEM (padrão: os públicos)',
  'accept any server certificate': 'aceita qualquer certificado do servidor',
  'file with the body to send, - for standard input (default: {"evento":"teste_webhook"})':
    'arquivo com o corpo a enviar, - para a entrada padrão (padrão: {"evento":"teste_webhook"})',
  'time limit of each request': 'tempo limite de cada requisição',
  'print one JSON object per line: the requests, then the summary':
    'imprime um objeto JSON por linha: as requisições e, por fim, o resumo',
  'Find problems that keep callbacks from being received or forwarded; run it before going live and daily after that':
    'Procura problemas que impedem que callbacks sejam recebidos ou encaminhados; execute-o antes de entrar em produção e depois todo dia',
  'also check from outside: the URL that is registered at the service, https://HOST/PATH':
    'verifica também de fora: a URL que está cadastrada no serviço, https://HOST/CAMINHO',
  'with --url: whose URL it is, a name under institutions (default: by its path)':
    'com --url: de quem é a URL, um nome em institutions (padrão: pelo caminho dela)',
  'with --url: client certificate to call with, PEM, full chain (default in development: that of the test CA)':
    'com --url: certificado de cliente com que chamar, PEM, cadeia completa (padrão em desenvolvimento: o da AC de testes)',
  'with --url: private key of the client certificate, PEM': 'com --url: chave privada do certificado de cliente, PEM',
  'CA certificates that callers trust, PEM (default: the public ones)':
    'certificados de AC em que os chamadores confiam, PEM (padrão: os públicos)',
  'warn of certificates that expire within this number of days (default: by its lifetime, 30 days at most)':
    'avisa de certificados que vencem dentro deste número de dias (padrão: conforme a validade, no máximo 30 dias)',
  'with --url: time limit of each request': 'com --url: tempo limite de cada requisição',
  'time limit for checking the database': 'tempo limite da verificação do banco de dados',
  'make no connection to the service and to destinations: whether they answer is left out':
    'não se conecta ao serviço nem aos destinos: não verifica se eles respondem',
  'print warnings and problems only, and the summary; without any, the summary is the only line':
    'imprime só avisos e problemas, e o resumo; sem nenhum, só a linha do resumo',
  'print one JSON object per line: the findings, then the summary':
    'imprime um objeto JSON por linha: os resultados e, por fim, o resumo',
  'Check the configuration file': 'Verifica o arquivo de configuração',
  'Read the configuration file and the files that it names, as the start does, and list every mistake; opens no database and no connection':
    'Lê o arquivo de configuração e os arquivos que ele cita, como o início faz, e lista todos os erros; não abre o banco de dados nem conexões',
  "Read the gateway's log: what happened, what it means, and what to do":
    'Lê o log do gateway: o que aconteceu, o que significa e o que fazer',
  'read the lines of this file, or of standard input (-), not those of the journal':
    'lê as linhas deste arquivo, ou da entrada padrão (-), não as do journal',
  'wait for new lines, until Ctrl-C': 'espera novas linhas, até Ctrl-C',
  'only events that are as severe as this': 'só eventos com esta gravidade ou maior',
  'only events from this time on, or an age such as 2h (default: 1d, of a file all)':
    'só eventos a partir desta hora, ou uma idade como 2h (padrão: 1d; de um arquivo, todos)',
  'List the gateways that share a PostgreSQL database':
    'Lista os gateways que compartilham um banco de dados PostgreSQL',
  'List the gateways that share the PostgreSQL database, and which destinations each of them sends to':
    'Lista os gateways que compartilham o banco de dados PostgreSQL, e a quais destinos cada um envia',
  'Forward the events of a gateway to an app on this machine, until Ctrl-C':
    'Encaminha os eventos de um gateway a um aplicativo nesta máquina, até Ctrl-C',
  'address of your app, or KIND=URL for one kind; repeatable, such as http://localhost:3000/hook':
    'endereço do seu aplicativo, ou TIPO=URL para um só tipo; pode ser repetida, por exemplo http://localhost:3000/hook',
  'name of the position at the gateway (default: listen- and the name of this host)':
    'nome da posição no gateway (padrão: listen- e o nome deste host)',
  'begin there: start, latest, an event id, or a time or age such as 2h (default: where it ended, at first latest)':
    'começa ali: start, latest, o ID de um evento, ou uma hora ou idade como 2h (padrão: onde terminou; na primeira vez, latest)',
  'file with the signing secret, whsec_… (default: one of your own, made at the first use)':
    'arquivo com o segredo de assinatura, whsec_… (padrão: um próprio, criado no primeiro uso)',
  'CA certificates for checking the certificate of your app, PEM (default: the public ones)':
    'certificados de AC para verificar o certificado do seu aplicativo, PEM (padrão: os públicos)',
  'time limit for each answer of your app': 'tempo limite de cada resposta do seu aplicativo',
  'end with exit code 0 when so many events were taken':
    'termina com o código de saída 0 depois de tantos eventos aceitos',
  'end after this time; exit code 1 if --count was not reached or an event was not taken':
    'termina depois deste tempo; código de saída 1 se --count não foi atingido ou um evento não foi aceito',
  'print one JSON object per attempt': 'imprime um objeto JSON por tentativa',
  'Save the address and the credentials of a gateway of another machine as a profile':
    'Salva como perfil o endereço e as credenciais de um gateway de outra máquina',
  'base address of the API, https://HOST:PORT (http only on loopback)':
    'endereço base da API, https://HOST:PORTA (http só em loopback)',
  'id of the client; its secret is then read from --client-secret-file':
    'ID do cliente; o segredo dele é lido de --client-secret-file',
  'file with the secret of the client, - for standard input':
    'arquivo com o segredo do cliente, - para a entrada padrão',
  'file with a bearer token, in place of a client; - for standard input':
    'arquivo com um token de portador (bearer), no lugar de um cliente; - para a entrada padrão',
  'sign in as a person in a browser, on any machine (default in a terminal, without --client-id)':
    'entra como pessoa em um navegador, em qualquer máquina (padrão em um terminal, sem --client-id)',
  'authorities of the certificate of the API, PEM (default: the public ones)':
    'autoridades do certificado da API, PEM (padrão: as públicas)',
  'client certificate for the API, PEM, full chain': 'certificado de cliente para a API, PEM, cadeia completa',
  'name of the profile (default: default)': 'nome do perfil (padrão: default)',
  'only list the profiles': 'só lista os perfis',
  'print one JSON object, with --list one per line': 'imprime um objeto JSON; com --list, um por linha',
  'Remove a profile with its credentials': 'Remove um perfil com as suas credenciais',
  'Print the script that completes the commands and options of portaria in a shell':
    'Imprime o script que completa em um shell os comandos e as opções do portaria',
  'the shell that reads the script': 'o shell que lê o script',
  'Print the manual page portaria(1) in roff': 'Imprime a página de manual portaria(1) em roff',
  'Show the version, and what it was made of': 'Mostra a versão e a partir do que ela foi gerada',
  'also the commit, how it was installed, and the versions of Node.js, SQLite and OpenSSL':
    'também o commit, a forma de instalação e as versões de Node.js, SQLite e OpenSSL',
  'print all of this as one JSON object': 'imprime tudo isso como um objeto JSON',
}
