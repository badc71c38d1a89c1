import ReactMarkdown, { type Components } from 'react-markdown';

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
};

/** Text with Markdown marks. HTML in it is shown as text; images are left out, because they would call other hosts. */
export const Markdown = ({ text }: { text: string }) => (
  <div className="markdown">
    <ReactMarkdown components={components} disallowedElements={['img']} unwrapDisallowed>
      {text}
    </ReactMarkdown>
  </div>
);
