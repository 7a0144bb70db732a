//! The known arguments of a program, and the syntax of arguments in each language.

/// The arguments of a bot's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The words, with placeholders.
    pub(super) words: Vec<String>,
    /// Whether the program or its README determines the words.
    pub(super) are_known: bool,
    /// The evidence for the words, as a clause.
    pub(super) why: String,
}

/// The syntax with which a language accesses a program's arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArgumentArray<'a> {
    /// The array, such as `sys.argv`.
    pub(super) name: &'a str,
    /// The index of the first argument.
    pub(super) first: usize,
    /// Whether `shift` takes an argument off the front.
    pub(super) has_shift: bool,
    /// Whether `...` means all arguments.
    pub(super) is_vararg: bool,
}

impl<'a> ArgumentArray<'a> {
    /// The array `name`, whose element `first` is the first argument.
    pub(super) const fn new(name: &'a str, first: usize) -> Self {
        Self { name, first, has_shift: false, is_vararg: false }
    }
}
