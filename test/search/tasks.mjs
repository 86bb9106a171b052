// Ten tasks in a model's way: its searches, and the tools that it then needs.
export const tasks = [
  { searches: ['read the log file', 'create a ticket about a bug'], needs: ['filesystem__read_text_file', 'github__create_issue'] },
  { searches: ['list the files of a pull request', 'approve a pull request'], needs: ['github__get_pull_request_files', 'github__create_pull_request_review'] },
  { searches: ['open a web page', 'take a screenshot'], needs: ['playwright__browser_navigate', 'playwright__browser_take_screenshot'] },
  { searches: ['search the web for news', 'post a message to a channel'], needs: ['brave__brave_web_search', 'slack__slack_post_message'] },
  { searches: ['directions between two cities'], needs: ['maps__maps_directions'] },
  { searches: ['search notes', 'create a page'], needs: ['notion__API-post-search', 'notion__API-post-page'] },
  { searches: ['remember a fact about a person', 'search what I know'], needs: ['memory__add_observations', 'memory__search_nodes'] },
  { searches: ['rename a file', 'sizes of the files in a directory'], needs: ['filesystem__move_file', 'filesystem__list_directory_with_sizes'] },
  { searches: ['create a branch', 'push several files', 'open a merge request'], needs: ['gitlab__create_branch', 'gitlab__push_files', 'gitlab__create_merge_request'] },
  { searches: ['fill in a web form', 'click a button'], needs: ['playwright__browser_fill_form', 'playwright__browser_click'] },
];
