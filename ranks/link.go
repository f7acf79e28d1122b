package ranks

// Link carries messages between ranks: MPI, or memory within one process. The laws:
//   - One thread uses it, the one that opened it.
//   - Messages from one rank to another under one tag arrive in the order they were sent, of any
//     length up to MaxMessage; the receiver knows the length.
//   - Send and Receive only begin: the message belongs to the link until its request is done.
//   - A message lies in memory that the link gave.
type Link interface {
	Rank() int
	Size() int
	// Describe is what carries the messages, in a word.
	Describe() string
	// Memory gives room for messages, which stays as long as the link.
	Memory(bytes int) []byte
	Send(to, tag int, message []byte) (Request, error)
	Receive(from, tag int, message []byte) (Request, error)
	// Waits tells whether a message is there that nobody has begun to receive.
	Waits(from, tag int) (bool, error)
	// Close is called by all ranks, when all have left.
	Close() error
	// Abort ends the whole job, where some rank cannot be reached. It may not return.
	Abort()
}

// Request is a message on its way.
type Request interface {
	// Done tells whether the message has been delivered, or copied for it; once it is, it is not asked again.
	Done() (bool, error)
}

// MaxMessage is the length of the longest message in bytes; MPI counts with 31 bits.
const MaxMessage = 1 << 28

// The tags of messages.
const (
	wordTag  = 1 + iota // of an exchange
	partTag             // what is summed
	sumTag              // the sums
	shareTag            // of a broadcast
	bringTag            // of a gathering
	beatTag             // this rank lives
	leaveTag            // its last word
)
