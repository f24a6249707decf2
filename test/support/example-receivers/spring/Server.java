// Debian's Tomcat with HookController in Debian's Spring, on the port PORT of 127.0.0.1, with the SQLite database STORE.
import java.nio.file.Files;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

class Server {
    public static void main(String[] args) throws Exception {
        // A second writer waits for the first one.
        DriverManagerDataSource source = new DriverManagerDataSource("jdbc:sqlite:" + System.getenv("STORE") + "?busy_timeout=10000");
        new JdbcTemplate(source).execute("CREATE TABLE IF NOT EXISTS events (id VARCHAR(64) PRIMARY KEY, kind VARCHAR(64), body BLOB)");
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.register(HookController.class, RequestMappingHandlerMapping.class, RequestMappingHandlerAdapter.class);
        context.addBeanFactoryPostProcessor(factory -> factory.registerSingleton("db", new JdbcTemplate(source)));

        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("receiver").toString());
        Connector connector = new Connector();
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        tomcat.setConnector(connector);
        StandardContext application = (StandardContext) tomcat.addContext("", null);
        Tomcat.addServlet(application, "spring", new DispatcherServlet(context)).setLoadOnStartup(1);
        application.addServletMappingDecoded("/", "spring");
        tomcat.start();
        tomcat.getServer().await();
    }
}
