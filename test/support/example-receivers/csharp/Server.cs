// A server of Debian's Mono with PortariaHook, on the port PORT of 127.0.0.1, with the SQLite database STORE.
using System;
using System.Data.Common;
using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using Mono.Data.Sqlite;

static class Server
{
    static void Main()
    {
        // A second writer waits for the first one.
        Func<DbConnection> connect = () => new SqliteConnection("URI=file:" + Setting("STORE") + ",busy_timeout=10000");
        using (var connection = connect())
        {
            connection.Open();
            var command = connection.CreateCommand();
            command.CommandText = "CREATE TABLE IF NOT EXISTS events (id VARCHAR(64) PRIMARY KEY, kind VARCHAR(64), body BLOB)";
            command.ExecuteNonQuery();
        }
        var hook = new PortariaHook(Setting("WEBHOOK_SECRET"), connect);
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + Setting("PORT") + "/hook/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            Task.Run(() => Answer(hook, context));
        }
    }

    static void Answer(PortariaHook hook, HttpListenerContext context)
    {
        var (status, text) = (500, "");
        try
        {
            var body = new MemoryStream();
            context.Request.InputStream.CopyTo(body);
            (status, text) = hook.Receive(name => context.Request.Headers[name], body.ToArray());
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
        }
        context.Response.StatusCode = status;
        context.Response.Close(Encoding.UTF8.GetBytes(text), false);
    }

    static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name);
    }
}
