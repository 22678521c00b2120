/** What is used of sax. The published types bring those of Node along, which nothing above the line may need. */
declare module "sax" {
  namespace sax {
    interface Tag {
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
    interface Parser {
      readonly line: number;
      onerror: (error: Error) => void;
      onopentag: (tag: Tag) => void;
      onclosetag: (name: string) => void;
      ontext: (text: string) => void;
      write(text: string): Parser;
      close(): Parser;
    }
    function parser(strict: boolean, options?: { readonly position: boolean }): Parser;
  }
  export default sax;
}
