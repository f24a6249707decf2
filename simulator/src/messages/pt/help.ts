import type { Texts } from '../translator.ts'

/** Help of the simulator, and of the commands that use it. */
export const HELP: Texts = {
  'A payment service, simulated, to write software without a contract, and a judge of receivers of its callbacks; never for production':
    'Um serviço de pagamento simulado, para desenvolver sem contrato, e um avaliador de receptores dos callbacks dele; nunca em produção',
  'registered address, or KIND=URL; repeatable': 'endereço cadastrado, ou TIPO=URL; pode ser repetida',
  'print one JSON object': 'imprime um objeto JSON',
  'print one JSON object per line': 'imprime um objeto JSON por linha',
  'time limit of each request': 'tempo limite de cada requisição',
  'Run a simulated service, to try and test everything without a contract; never for production':
    'Executa um serviço simulado, para testar tudo sem contrato; nunca em produção',
  'port of the sandbox; production answers on the next one': 'porta do sandbox; a produção responde na seguinte',
  'port of the control API and of the playground': 'porta da API de controle e do playground',
  'address of the control API and of the playground (default: 127.0.0.1 and ::1); needs --control-token-file':
    'endereço da API de controle e do playground (padrão: 127.0.0.1 e ::1); exige --control-token-file',
  'file with the token that every request to the control port has to have':
    'arquivo com o token que toda requisição à porta de controle deve ter',
  'address to listen on (default: 127.0.0.1 and ::1); another one lets other machines in':
    'endereço de escuta (padrão: 127.0.0.1 e ::1); outro permite o acesso de outras máquinas',
  'folder of its certificates and applications, made at the first start':
    'pasta dos seus certificados e aplicativos, criada no primeiro início',
  'keep its state in simulator.db of the folder (default: in memory)':
    'guarda o seu estado em simulator.db da pasta (padrão: na memória)',
  'settings, YAML (docs/start.md of the simulator lists them)':
    'configurações, YAML (docs/start.md do simulador as lista)',
  "authorities of receivers' server certificates besides the public ones, PEM":
    'autoridades dos certificados de servidor dos receptores, além das públicas, PEM',
  'print addresses, credentials and files as one JSON object':
    'imprime endereços, credenciais e arquivos como um objeto JSON',
  'Control a running simulator: its clock, callbacks, faults, bills, charges and more':
    'Controla um simulador em execução: relógio, callbacks, falhas, boletos, cobranças e mais',
  'name of an operation ("operations" lists them), or method and path; "show" tells the state of a record':
    'nome de uma operação ("operations" as lista), ou método e caminho; "show" mostra o estado de um registro',
  'its path arguments, its options, or its body as JSON': 'os argumentos do caminho, as opções ou o corpo em JSON',
  'address of the control API': 'endereço da API de controle',
  'file with the token of a control port that has one': 'arquivo com o token de uma porta de controle que o exige',
  'Send the callbacks of an institution, and judge the answers; without a URL, only make the certificates for it':
    'Envia os callbacks de uma instituição e avalia as respostas; sem URL, só cria os certificados para isso',
  'name of the preset': 'nome do modelo',
  'the registered address, such as https://localhost:8443/bank-a':
    'o endereço cadastrado, por exemplo https://localhost:8443/bank-a',
  'folder of the certificates, made at the first call': 'pasta dos certificados, criada na primeira chamada',
  "authorities of the receiver's server certificate besides the public ones, PEM":
    'autoridades do certificado de servidor do receptor, além das públicas, PEM',
  "Try the service's rules on any receiver of callbacks, and report what it does wrong and how to mend it":
    'Testa as regras do serviço em qualquer receptor de callbacks, e informa o que ele faz de errado e como corrigir',
  'the registered address of callbacks, https://HOST:PORT/PATH':
    'o endereço de callbacks cadastrado, https://HOST:PORTA/CAMINHO',
  'address of charge notifications, in place of the URL; twice for https and http':
    'endereço das notificações de cobranças, no lugar da URL; duas vezes para https e http',
  "authorities of the receiver's server certificate, PEM (default: the public ones)":
    'autoridades do certificado de servidor do receptor, PEM (padrão: as públicas)',
  'kind of the callbacks (default: payment)': 'tipo dos callbacks (padrão: payment)',
  'institution whose callbacks and answers count': 'instituição cujos callbacks e respostas valem',
  'environment of the receiver, which then must refuse the other one (default: production, without that)':
    'ambiente do receptor, que então deve recusar o outro (padrão: production, sem isso)',
  'file to which the receiver appends what it stores': 'arquivo ao qual o receptor acrescenta o que grava',
  'address that lists what the receiver stored, such as http://127.0.0.1:8080/v1/events?after=latest':
    'endereço que lista o que o receptor gravou, por exemplo http://127.0.0.1:8080/v1/events?after=latest',
  'file with the bearer token for --poll': 'arquivo com o token de portador (bearer) de --poll',
  'folder of the test CA, made at the first use (default: $XDG_STATE_HOME/portaria/conformance)':
    'pasta da AC de testes, criada no primeiro uso (padrão: $XDG_STATE_HOME/portaria/conformance)',
  'language of the report (default: that of the command line; with --json en)':
    'idioma do relatório (padrão: o da linha de comando; com --json, en)',
  'write a JUnit report, too': 'grava também um relatório JUnit',
  'write a page, too': 'grava também uma página',
  'Write the chains of the test CA, to install them in a receiver: the same ones each time':
    'Grava as cadeias da AC de testes, para instalá-las em um receptor: sempre as mesmas',
  'folder for the chains': 'pasta das cadeias',
  'print the files as one JSON object': 'imprime os arquivos como um objeto JSON',
  'Send a callback as the payment service does, with a test certificate, and judge the answer':
    'Envia um callback como o serviço de pagamentos, com um certificado de teste, e avalia a resposta',
  'payment, registration, charge, subscription, carnet, open-banking or pix':
    'payment, registration, charge, subscription, carnet, open-banking ou pix',
  'state of the fact (--list shows them; default: the first one)':
    'estado do fato (--list os mostra; padrão: o primeiro)',
  'set a member of the body, as status.atual=CANCELADO or extra:=JSON; repeatable':
    'define um membro do corpo, como status.atual=CANCELADO ou extra:=JSON; pode ser repetida',
  'form of notifications of charges (default: json)': 'formato das notificações de cobranças (padrão: json)',
  'send the bytes of this file as the body, - for standard input':
    'envia os bytes deste arquivo como corpo, - para a entrada padrão',
  'send a sequence, YAML: steps with kind, state, set, file, form, new, or wait':
    'envia uma sequência, YAML: passos com kind, state, set, file, form, new ou wait',
  'registered address, or KIND=URL; repeatable (default: the gateway of the configuration file)':
    'endereço cadastrado, ou TIPO=URL; pode ser repetida (padrão: o gateway do arquivo de configuração)',
  'environment of the test certificate': 'ambiente do certificado de teste',
  'client certificate, PEM, full chain (default: that of development or of the test CA)':
    'certificado de cliente, PEM, cadeia completa (padrão: o de desenvolvimento ou o da AC de testes)',
  'folder of the test CA (default: $XDG_STATE_HOME/portaria/conformance)':
    'pasta da AC de testes (padrão: $XDG_STATE_HOME/portaria/conformance)',
  'private key of the client certificate, PEM': 'chave privada do certificado de cliente, PEM',
  'only list the kinds and their states': 'só lista os tipos e os seus estados',
  'configuration file of the gateway that is called without --to':
    'arquivo de configuração do gateway que é chamado sem --to',
}
